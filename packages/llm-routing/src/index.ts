export { type RoutingConfiguration, routingConfigurationSchema } from './configuration.ts';
export { type RetryPolicy, type RetryPolicyInput, retryDelays, retryPolicySchema } from './retry-policy.ts';
export { defaultModels, type ModelRole, modelRoles, webSearchAliases } from './roles.ts';
export { type Route, type RouteRequest, type Routes, resolveRoutes } from './routes.ts';
