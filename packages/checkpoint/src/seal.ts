import { sha256 } from '@kapso-evolve/contracts';

/** Bytes of `,"sha256":"…"}` at the end. */
const sealLength = ',"sha256":"'.length + 64 + '"}'.length;

/** JSON text of an object, with `sha256` of the bytes before it as its last field. `open`: the text without its brace. */
export function seal(open: string): { readonly text: string; readonly digest: string } {
	const digest = sha256(open);
	return { text: `${open},"sha256":"${digest}"}`, digest };
}

/** The bytes before the seal, or null when the seal is not theirs. */
export function openSealed(bytes: Buffer): Buffer | null {
	if (bytes.length <= sealLength) return null;
	const open = bytes.subarray(0, bytes.length - sealLength);
	return bytes.toString('latin1', open.length) === `,"sha256":"${sha256(open)}"}` ? open : null;
}
