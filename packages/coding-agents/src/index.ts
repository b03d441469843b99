export type { AgentOutcome, AgentRequest, AgentStatus, CodingAgent } from './agent.ts';
export { type AgentName, agentNames, availableAgentNames, parseAgentName } from './agent-names.ts';
export { type CommandAgentOptions, createCommandAgent } from './command-agent.ts';
export { type AgentOptions, createAgent } from './create-agent.ts';
export { type ReportSource, readReport } from './read-report.ts';
export { reportInstructions } from './report-block.ts';
