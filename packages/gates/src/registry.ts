import { defineGate, type GateRegistry } from './gate.ts';

/** The gates we know of. What each one needs stands here and nowhere else. */
export const gateRegistry: GateRegistry = Object.freeze({
	kg: defineGate({
		tools: ['search_knowledge', 'get_wiki_page', 'kg_index', 'kg_edit', 'get_page_structure'],
		requiredPaths: ['KG_INDEX_PATH'],
	}),
	idea: defineGate({ tools: ['wiki_idea_search'], requiredPaths: ['KG_INDEX_PATH'] }),
	code: defineGate({ tools: ['wiki_code_search'], requiredPaths: ['KG_INDEX_PATH'] }),
	research: defineGate({
		tools: ['research_idea', 'research_implementation', 'research_study'],
		requiredEnv: ['OPENAI_API_KEY'],
	}),
	// no required path: the history file comes into being with the first candidate
	experiment_history: defineGate({
		tools: ['get_top_experiments', 'get_recent_experiments', 'search_similar_experiments'],
		requiredEnv: ['EXPERIMENT_HISTORY_PATH'],
	}),
	repo_memory: defineGate({
		tools: ['get_repo_memory_section', 'list_repo_memory_sections', 'get_repo_memory_summary'],
	}),
	leeroopedia: defineGate({
		tools: [
			'search_knowledge',
			'build_plan',
			'review_plan',
			'verify_code_math',
			'diagnose_failure',
			'propose_hypothesis',
			'query_hyperparameter_priors',
			'get_page',
		],
		command: 'leeroopedia-mcp',
		requiredEnv: ['LEEROOPEDIA_API_KEY'],
	}),
});
