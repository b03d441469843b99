import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createRepository, git, gitEnvironment, writeFiles } from '@kapso-evolve/testkit';
import { readAll } from './files.ts';
import type { WorkspaceModule } from './load-workspace.ts';

const credentials = { user: 'someone', password: 'se:cret' };

/** A seed behind a password that only the user's credential helper knows, on a server of this machine's own. */
export async function clonePrivateSeed(
	module: WorkspaceModule,
	folder: string,
	say: (line: string) => void,
): Promise<boolean> {
	const place = join(folder, 'private');
	const home = join(place, 'home');
	mkdirSync(home, { recursive: true });
	await createRepository(join(place, 'source'), { 'a.txt': 'private\n' });
	await git(place, 'clone', '--quiet', '--bare', 'source', join(place, 'served', 'seed.git'));
	const server = createServer((request, response) => answer(join(place, 'served'), request, response));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/seed.git`;
	await writeFiles(home, {
		'.gitconfig': `[credential]\n\thelper = "!f() { test \\"$1\\" = get && echo username=${credentials.user} && echo password=${credentials.password}; }; f"\n`,
	});
	const before = readAll(home);
	const open = (HOME: string, name: string) =>
		module.openWorkspace({
			path: join(place, name),
			stateFolder: join(place, 'state'),
			seed: url,
			userEnvironment: { PATH: process.env.PATH ?? '', HOME },
		});
	try {
		const stranger = await open(place, 'refused').then(
			() => 'opened',
			(error: { code?: string }) => error.code,
		);
		if (stranger !== 'SEED_CLONE_FAILED') say(`without the helper: ${stranger}`);
		await using workspace = await open(home, 'campaign');
		const files = readAll(workspace.root, (path) => path === '.git');
		const config = readAll(workspace.gitDir, (path) => path !== 'config').get('config') ?? '';
		const same = JSON.stringify([...before]) === JSON.stringify([...readAll(home)]);
		if (!same) say('the user’s settings were written');
		return (
			stranger === 'SEED_CLONE_FAILED' &&
			same &&
			files.get('a.txt') === '100644 private\n' &&
			!config.includes('127.0.0.1')
		);
	} catch (error) {
		say(`private seed: ${error instanceof Error ? error.stack : String(error)}`);
		return false;
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
	const wanted = `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
	if (request.headers.authorization !== wanted) {
		response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="seed"' }).end();
		return;
	}
	const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
	const child = spawn('git', ['http-backend'], {
		env: gitEnvironment({
			GIT_PROJECT_ROOT: root,
			GIT_HTTP_EXPORT_ALL: '1',
			REQUEST_METHOD: request.method ?? 'GET',
			PATH_INFO: pathname,
			QUERY_STRING: search.slice(1),
			CONTENT_TYPE: request.headers['content-type'] ?? '',
			REMOTE_USER: credentials.user,
			...(request.headers['content-encoding'] === undefined
				? {}
				: { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
			...(request.headers['git-protocol'] === undefined
				? {}
				: { GIT_PROTOCOL: String(request.headers['git-protocol']) }),
		}),
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	request.pipe(child.stdin);
	const parts: Buffer[] = [];
	child.stdout.on('data', (part: Buffer) => parts.push(part));
	child.on('close', () => {
		const whole = Buffer.concat(parts);
		const end = whole.indexOf('\r\n\r\n');
		const lines = whole.subarray(0, end).toString('latin1').split('\r\n');
		for (const line of lines) {
			const [name = '', value = ''] = line.split(': ');
			if (name === 'Status') response.statusCode = Number(value.slice(0, 3));
			else response.setHeader(name, value);
		}
		response.end(whole.subarray(end + 4));
	});
}
