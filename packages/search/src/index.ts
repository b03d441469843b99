export { findLineageProblems, type LineageProblem, type LineageRule } from './lineage.ts';
export { loadSearch } from './load-search.ts';
export { parseParentPolicy } from './parent-policy.ts';
export { mainBranch, type ParentChoice } from './select-parent.ts';
export { exclusionOf, isBetter, isSelectable, rankNodes, selectBest } from './selection.ts';
export { createGenericSearch, type GenericSearchOptions, type SearchStrategy } from './strategy.ts';
