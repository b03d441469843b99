/**
 * Last word on attributes: whatever `.gitattributes` a tree carries, bytes go in and come out unchanged, no filter or
 * driver runs, and a diff is shown as text where it is text.
 */
export const attributesFile = '* -text !eol -filter -ident -working-tree-encoding !diff !merge\n';

/** Our ignore rules: in the repository's private folder, never in a file of the user's. */
export const excludeRules: readonly string[] = ['/.kapso/*', '!/.kapso/repo_memory.json', '__pycache__/', '*.pyc'];

export const excludeFile = `${excludeRules.join('\n')}\n`;

/** The one file below `.kapso/` that travels with branches. */
export const memoryPath = '.kapso/repo_memory.json';
