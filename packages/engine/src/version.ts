/** Version of the engine in launch and state files; a test keeps it equal to the package's. */
export const engineVersion = '0.1.0';
/** Part of the fingerprint: raised when a resumed campaign would mean something else than before. */
export const engineSchema = 1;
