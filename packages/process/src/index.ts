export { type AgentView, agentNamespaceArgv } from './agent-namespace-argv.ts';
export { findProgram } from './find-program.ts';
export { currentProcess, isAlive, type ProcessIdentity } from './identity.ts';
export { killMarked } from './kill-marked.ts';
export type { Limit, Limits } from './meter.ts';
export { type RunOptions, type RunResult, run } from './run.ts';
export { runMarkerVariable } from './run-marker.ts';
export { type OpenSandboxOptions, openSandbox, type Sandbox } from './sandbox.ts';
export { type Mount, type SandboxSpec, sandboxArgv } from './sandbox-argv.ts';
