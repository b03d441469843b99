/** What a case found: bytes or refs of the user's that are gone, or something that nobody can explain. */
export interface Damage {
	readonly kind: 'bytes' | 'refs' | 'unexplained';
	readonly what: string;
}
