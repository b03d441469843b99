import { KapsoError } from '@kapso-evolve/contracts';
import { parseRoutingConfiguration, type RoutingConfiguration } from './configuration.ts';
import type { RetryPolicy } from './retry-policy.ts';
import { defaultModels, type ModelRole, modelRoles, webSearchAliases } from './roles.ts';

/** Where a call goes. Without an effort the parameter is left out of the request, never sent as null. */
export interface Route {
	readonly model: string;
	readonly reasoningEffort?: string;
}

/** A call's wish: one role decides how it is made, a model may be asked for by role or by name. */
export interface RouteRequest {
	readonly role: ModelRole;
	readonly model?: string;
	/** The caller's own effort wins over the route's. */
	readonly reasoningEffort?: string;
}

export interface Routes {
	readonly models: Readonly<Record<ModelRole, Route>>;
	readonly retry: RetryPolicy;
	/** Pure. Throws `KapsoError` `MODEL_NAME` (usage) for an empty model. */
	route(request: RouteRequest): Route;
}

/**
 * Reads the configuration blocks `models` and `retry` once, at the start: whatever is wrong with them is one
 * `KapsoError` `ROUTING_CONFIGURATION` (usage) now, and no call fails for it later.
 */
export function resolveRoutes(configuration: RoutingConfiguration = {}): Routes {
	const { models: given, retry } = parseRoutingConfiguration(configuration);
	const models = Object.fromEntries(
		modelRoles.map((role) => {
			const value = given[role] ?? defaultModels[role];
			const { model, reasoning_effort: effort } = typeof value === 'string' ? { model: value } : value;
			return [role, Object.freeze({ model, ...(effort !== undefined && { reasoningEffort: effort }) })];
		}),
	) as Record<ModelRole, Route>;
	return Object.freeze({
		models: Object.freeze(models),
		retry: Object.freeze(retry),
		route: (request: RouteRequest) => chooseRoute(models, request),
	});
}

function chooseRoute(models: Readonly<Record<ModelRole, Route>>, request: RouteRequest): Route {
	const { role, reasoningEffort } = request;
	const wanted = request.model?.trim() ?? role;
	if (wanted === '') throw emptyModel(role);
	const meant = asRole(wanted, role);
	const chosen = meant === null ? { model: wanted } : models[meant];
	return reasoningEffort === undefined ? chosen : { ...chosen, reasoningEffort };
}

/** The role that a wanted model stands for, or null: then it is a model's own name and passes through. */
function asRole(wanted: string, role: ModelRole): ModelRole | null {
	if (role === 'web_search' && webSearchAliases.includes(wanted)) return 'web_search';
	return modelRoles.find((known) => known === wanted) ?? null;
}

function emptyModel(role: ModelRole): KapsoError {
	return new KapsoError({
		code: 'MODEL_NAME',
		category: 'usage',
		message: `A ${role} call asked for a model with an empty name.`,
		hint: 'Leave the model out to get the configured one.',
		data: { role },
	});
}
