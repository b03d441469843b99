import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, KapsoError, type LedgerLine } from '@kapso-evolve/contracts';
import { z } from 'zod';

/** DSSE (github.com/secure-systems-lab/dsse): what is signed is the type and the payload, length-prefixed. */
export const payloadType = 'application/vnd.kapso-evolve.ledger-line+json';

const envelopeSchema = z.strictObject({
	payloadType: z.literal(payloadType),
	/** Base64 of canonical JSON: `{campaign_id, seq, sha256}`. */
	payload: z.base64(),
	signatures: z.array(z.strictObject({ keyid: z.string(), sig: z.base64() })).min(1),
});
export type Envelope = z.output<typeof envelopeSchema>;

/** A candidate's record and the end of a slice: each vouches by the chain for all that came before. */
export function needsSignature(line: LedgerLine): boolean {
	return line.type === 'recorded' || line.type === 'stopped';
}

/** Vouches for one ledger line, and by the chain for everything before it. */
export function signLine(options: {
	readonly campaignId: string;
	readonly line: LedgerLine;
	readonly key: KeyObject;
}): Envelope {
	const { campaignId, line, key } = options;
	const payload = Buffer.from(canonicalJson({ campaign_id: campaignId, seq: line.seq, sha256: line.sha256 }));
	const signature = sign(null, preAuthentication(payload), key);
	return {
		payloadType,
		payload: payload.toString('base64'),
		signatures: [{ keyid: keyId(createPublicKey(key)), sig: signature.toString('base64') }],
	};
}

/** True when one of the signatures is this key's over exactly this line. */
export function isSigned(options: {
	readonly campaignId: string;
	readonly line: LedgerLine;
	readonly key: KeyObject;
	readonly envelope: unknown;
}): boolean {
	const parsed = envelopeSchema.safeParse(options.envelope);
	if (!parsed.success) return false;
	const { campaignId, line, key } = options;
	const payload = Buffer.from(parsed.data.payload, 'base64');
	const expected = canonicalJson({ campaign_id: campaignId, seq: line.seq, sha256: line.sha256 });
	if (payload.toString('utf8') !== expected) return false;
	return parsed.data.signatures.some(({ sig }) =>
		verify(null, preAuthentication(payload), key, Buffer.from(sig, 'base64')),
	);
}

function preAuthentication(payload: Buffer): Buffer {
	return Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]);
}

/** SHA-256 of the public key in its standard form: tells keys apart, proves nothing. */
function keyId(key: KeyObject): string {
	return Buffer.from(key.export({ type: 'spki', format: 'der' }))
		.subarray(-32)
		.toString('hex');
}

/** An Ed25519 private key in PEM. Throws `SIGNING_KEY` (usage). */
export function parsePrivateKey(pem: string): KeyObject {
	return parseKey(() => createPrivateKey(pem), 'private');
}

/** An Ed25519 public key in PEM. Throws `SIGNING_KEY` (usage). */
export function parsePublicKey(pem: string): KeyObject {
	return parseKey(() => createPublicKey(pem), 'public');
}

function parseKey(parse: () => KeyObject, kind: 'private' | 'public'): KeyObject {
	try {
		const key = parse();
		if (key.asymmetricKeyType === 'ed25519') return key;
	} catch {
		// Whatever the library says of a key file may quote it: the refusal below says enough.
	}
	throw new KapsoError({
		code: 'SIGNING_KEY',
		category: 'usage',
		message: `this is no Ed25519 ${kind} key in PEM`,
		hint: 'nothing was touched; make a pair with: openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub',
	});
}
