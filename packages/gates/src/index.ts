export { defineGate, type GateDefinition, type GateInput, type GateRegistry } from './gate.ts';
export { gateRegistry } from './registry.ts';
export { type GatePolicy, gatePolicies, parseGatePolicy } from './requested-gates.ts';
export { type GateDiagnostic, type GateResolution, type ResolveGatesOptions, resolveGates } from './resolve-gates.ts';
