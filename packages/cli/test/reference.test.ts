import { expect, it } from 'vitest';
import { commandReference } from './command-reference.ts';

it('docs/cli.md says what the command tree says', async () => {
	await expect(commandReference()).toMatchFileSnapshot('../../../docs/cli.md');
});
