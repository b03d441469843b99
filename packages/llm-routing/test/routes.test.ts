import { describe, expect, it } from 'vitest';
import { resolveRoutes } from '../src/index.ts';

describe('resolveRoutes', () => {
	it('gives every role its documented model when nothing is configured [M801, M802]', () => {
		expect(resolveRoutes().models).toEqual({
			utility: { model: 'gpt-4.1-mini' },
			reasoning: { model: 'gpt-5-mini' },
			web_search: { model: 'openai/gpt-4o-search-preview' },
			embedding: { model: 'text-embedding-3-small' },
		});
	});

	it('keeps the other defaults under a partial configuration and passes a model’s own name through [A133, M804, M810]', () => {
		const routes = resolveRoutes({ models: { reasoning: ' big-model ' } });
		expect(routes.route({ role: 'reasoning' })).toEqual({ model: 'big-model' });
		expect(routes.route({ role: 'utility' })).toEqual({ model: 'gpt-4.1-mini' });
		expect(routes.route({ role: 'utility', model: 'reasoning' })).toEqual({ model: 'big-model' });
		expect(routes.route({ role: 'utility', model: 'vendor/some-model' })).toEqual({ model: 'vendor/some-model' });
	});

	it('sends the historical aliases to the configured search route, in web-search calls only [A133, M811]', () => {
		const routes = resolveRoutes({ models: { web_search: 'searcher' } });
		for (const model of ['gpt-5', 'gpt-5.1', 'gpt-5-mini', 'gpt-4.1', 'gpt-4.1-mini']) {
			expect(routes.route({ role: 'web_search', model })).toEqual({ model: 'searcher' });
			expect(routes.route({ role: 'utility', model })).toEqual({ model });
		}
		expect(routes.route({ role: 'web_search', model: 'gpt-4.1-nano' })).toEqual({ model: 'gpt-4.1-nano' });
	});

	it('uses a route’s effort only when the caller has none, and leaves it out when nobody has one [A136]', () => {
		const routes = resolveRoutes({ models: { reasoning: { model: 'big', reasoning_effort: 'high' } } });
		expect(routes.route({ role: 'reasoning' })).toEqual({ model: 'big', reasoningEffort: 'high' });
		expect(routes.route({ role: 'reasoning', reasoningEffort: 'low' })).toEqual({
			model: 'big',
			reasoningEffort: 'low',
		});
		expect(Object.keys(routes.route({ role: 'utility' }))).toEqual(['model']);
		expect(routes.route({ role: 'reasoning', model: 'other' })).toEqual({ model: 'other' });
	});

	it.each([
		[{ models: { reasonning: 'x' } }, 'did you mean reasoning?'],
		[{ models: { utility: '  ' } }, 'models.utility'],
		[{ models: { utility: null } }, 'models.utility'],
		[{ models: { utility: { model: 'x', temperature: 0 } } }, 'models.utility'],
		[{ models: { utility: { reasoning_effort: 'high' } } }, 'models.utility'],
		[{ models: { utility: { model: 'x', reasoning_effort: '' } } }, 'models.utility'],
		[{ models: ['utility'] }, 'models'],
		[{ model: {} }, 'unknown key "model", did you mean models?'],
		[null, '(root)'],
	])('refuses %j when it is read, not when it is used [A135, M812, E31]', (configuration, words) => {
		const error = thrownBy(() => resolveRoutes(configuration as never));
		expect(error).toMatchObject({ code: 'ROUTING_CONFIGURATION', category: 'usage' });
		expect(error.message).toContain(words);
	});

	it('names every problem of both blocks at once [A135, A138, M812]', () => {
		const error = thrownBy(() => resolveRoutes({ models: { utility: '' }, retry: { max_attempts: 0, multiplier: 0 } }));
		expect(error.data.problems).toHaveLength(3);
	});

	it('refuses an empty model in a call [A135]', () => {
		const routes = resolveRoutes();
		expect(thrownBy(() => routes.route({ role: 'utility', model: ' ' }))).toMatchObject({ code: 'MODEL_NAME' });
	});
});

function thrownBy(act: () => unknown): { code: string; message: string; data: { problems?: string[] } } {
	try {
		act();
	} catch (thrown) {
		return thrown as never;
	}
	throw new Error('nothing was thrown');
}
