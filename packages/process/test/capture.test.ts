import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCapture } from '../src/capture.ts';

it('keeps exactly the head and the tail, whatever the chunks', () => {
	const chunks = fc.array(fc.string({ unit: 'binary-ascii', maxLength: 40 }), { maxLength: 20 });
	fc.assert(
		fc.property(chunks, fc.integer({ min: 0, max: 60 }), (texts, cap) => {
			const capture = createCapture(cap);
			for (const text of texts) capture.add(Buffer.from(text));
			const whole = texts.join('');
			const head = Math.ceil(cap / 2);
			const tail = whole.slice(whole.length - (cap - head));
			const expected =
				whole.length <= cap ? whole : `${whole.slice(0, head)}\n[… ${whole.length - cap} bytes left out …]\n${tail}`;
			expect(capture.text()).toBe(expected);
			expect(capture.bytes()).toBe(whole.length);
			expect(capture.truncated()).toBe(whole.length > cap);
		}),
		{ numRuns: 500 },
	);
});

it('replaces what is not UTF-8 rather than failing', () => {
	const capture = createCapture(100);
	capture.add(Uint8Array.of(0x61, 0xff, 0x62));

	expect(capture.text()).toBe('a\u{fffd}b');
});
