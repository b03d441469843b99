import type { CommonOptions } from './common-options.ts';
import type { Session } from './session.ts';

/** Carries a command's action out and keeps its exit code; what it throws is the caller's to report. */
export type Execute = (options: CommonOptions, action: (session: Session) => Promise<number>) => Promise<void>;
