/** What a part of the engine asks for in place of a model's name (milestone 8). */
export const modelRoles = ['utility', 'reasoning', 'web_search', 'embedding'] as const;
export type ModelRole = (typeof modelRoles)[number];

/** Used for every role that the configuration does not name. */
export const defaultModels: Readonly<Record<ModelRole, string>> = {
	utility: 'gpt-4.1-mini',
	reasoning: 'gpt-5-mini',
	web_search: 'openai/gpt-4o-search-preview',
	embedding: 'text-embedding-3-small',
};

/**
 * Names that web-search calls were once given and that cannot search: in such a call, and nowhere else, they mean the
 * configured `web_search` route.
 */
export const webSearchAliases: readonly string[] = ['gpt-5', 'gpt-5.1', 'gpt-5-mini', 'gpt-4.1', 'gpt-4.1-mini'];
