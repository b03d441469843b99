import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '@kapso-evolve/testkit';
import { describe, expect, it } from 'vitest';
import { openSandbox, type RunResult, run, type SandboxSpec, sandboxArgv } from '../src/index.ts';
import { environment, livingWith, uniqueSeconds } from './living.ts';

const sandbox = await openSandbox({ path: environment.PATH });
const reason = sandbox.isolation === 'none' ? ` (skipped: ${sandbox.reason})` : '';

function inside(script: string, spec: Partial<SandboxSpec> = {}): Promise<RunResult> {
	const argv = sandboxArgv(sandbox, {
		argv: ['/bin/sh', '-c', script],
		cwd: '/tmp',
		readOnly: [],
		writable: [],
		...spec,
	});
	return run({ argv, cwd: '/', env: environment, deadlineMs: 20_000 });
}

describe.skipIf(reason !== '')(`the sandbox${reason}`, () => {
	it('shows the system read-only, the given folders, and nothing else of the host [T079, T105]', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'hidden/key': 'secret', 'shown/a': '1' });

		const result = await inside(
			`ls -A / /etc /home /root /work; cat "$1"; ls "/given"`.replace('$1', join(folder.path, 'hidden/key')),
			{
				readOnly: [{ source: join(folder.path, 'shown'), at: '/given' }],
			},
		);

		const { stdout, stderr } = result;
		expect(
			stdout
				.match(/^\/:\n(?:.+\n)+/m)?.[0]
				.trim()
				.split('\n')
				.slice(1)
				.sort(),
		).toEqual(expect.arrayContaining(['bin', 'dev', 'etc', 'given', 'proc', 'run', 'tmp', 'usr']));
		expect(stdout).not.toContain('shadow');
		expect(stdout).not.toContain('secret');
		expect(stdout.endsWith('a\n')).toBe(true);
		expect(stderr).toContain('/home');
		expect(stderr).toContain('/root');
		expect(stderr).toContain('No such file or directory');
	});

	it('writes where it may and nowhere else, under any path name', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'réad only/suite/cases': '1', 'out put/.keep': '' });
		const at = '/kapso é x/of "a" run';
		const tries = [
			'echo 2 > cases; echo 2 > new; rm -f cases; mv cases moved; chmod 777 .; ln cases "../out/linked"',
			'for p in /y /usr/x /etc/x /dev/y /proc/x "/kapso é x/y"; do touch "$p" && echo "made $p"; done',
			'for p in / /etc/passwd /bin/sh; do touch "$p" && echo "touched $p"; done; mount -o remount,rw .',
			'echo result > ../out/result; touch /tmp/t /run/t /dev/shm/t && echo scratch',
		];

		const result = await inside(tries.join('\n'), {
			cwd: `${at}/suite`,
			readOnly: [{ source: join(folder.path, 'réad only/suite'), at: `${at}/suite` }],
			writable: [{ source: join(folder.path, 'out put'), at: `${at}/out` }],
		});

		expect(result).toMatchObject({ exitCode: 0, sandboxStarted: true, stdout: 'scratch\n' });
		expect(await readFile(join(folder.path, 'réad only/suite/cases'), 'utf8')).toBe('1');
		expect(await readFile(join(folder.path, 'out put/result'), 'utf8')).toBe('result\n');
		expect((await inside('ls -A', { cwd: '/x', readOnly: [{ source: folder.path, at: '/x' }] })).stdout).toBe(
			'out put\nréad only\n',
		);
		expect((await inside('ls -A /x', { readOnly: [{ source: join(folder.path, 'out put'), at: '/x' }] })).stdout).toBe(
			'.keep\nresult\n',
		);
	});

	it('takes a writable folder inside a read-only one', async () => {
		await using folder = await temporaryFolder();
		await writeFiles(folder.path, { 'candidate/out/.keep': '', 'real out/.keep': '' });

		const result = await inside('echo 1 > out/made; echo 1 > refused; ls out', {
			cwd: '/c',
			writable: [{ source: join(folder.path, 'real out'), at: '/c/out' }],
			readOnly: [{ source: join(folder.path, 'candidate'), at: '/c' }],
		});

		expect(result.stdout).toBe('made\n');
		expect(result.stderr).toContain('refused');
	});

	it('has no network: neither loopback nor abstract sockets of the host [T087]', async () => {
		const reached: string[] = [];
		const tcp = createServer(() => reached.push('tcp'));
		const abstract = createServer(() => reached.push('abstract'));
		const name = `kapso-test-${process.pid}`;
		try {
			await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
			await new Promise<void>((resolve) => abstract.listen(`\0${name}`, resolve));
			const { port } = tcp.address() as { port: number };
			const perl = `use Socket; socket(my $t, PF_INET, SOCK_STREAM, 0); print connect($t, sockaddr_in(${port}, inet_aton("127.0.0.1"))) ? "reached" : "refused", "\\n";
				socket(my $u, PF_UNIX, SOCK_STREAM, 0); print connect($u, pack_sockaddr_un("\\0${name}")) ? "reached" : "refused", "\\n";`;
			expect((await run({ argv: ['perl', '-e', perl], cwd: '/', env: environment })).stdout).toBe('reached\nreached\n');
			reached.length = 0;

			const result = await inside('', { argv: ['perl', '-e', perl] });

			expect(result.stdout).toBe('refused\nrefused\n');
			expect(reached).toEqual([]);
		} finally {
			for (const server of [tcp, abstract]) server.close();
		}
	});

	it('holds the given environment and no other, through no process [T105]', async () => {
		const argv = sandboxArgv(sandbox, {
			argv: ['/bin/sh', '-c', 'for p in /proc/[0-9]*; do tr "\\0" "\\n" < $p/environ; done | sort -u'],
			cwd: '/',
			readOnly: [],
			writable: [],
		});

		const result = await run({ argv, cwd: '/', env: { PATH: environment.PATH, ONLY: 'this' } });

		expect(result.stdout.split('\n').filter((line) => !/^(|PWD=.*|OLDPWD=.*|_=.*|SHLVL=.*)$/.test(line))).toEqual([
			'ONLY=this',
			`PATH=${environment.PATH}`,
		]);
	});

	it('takes everything that it started with it [T079, T084]', async () => {
		const seconds = uniqueSeconds();

		const result = await inside(`env -i setsid sh -c 'sleep ${seconds} & exit' & sleep 0.2; echo done`);

		expect(result).toMatchObject({ status: 'exited', stdout: 'done\n' });
		expect(livingWith(seconds)).toEqual([]);
	});

	it('sees no other process and cannot signal one', async () => {
		const stranger = spawn('sleep', ['9'], { stdio: 'ignore' });
		try {
			const result = await inside(`ls -d /proc/[0-9]* | wc -l; kill -0 ${stranger.pid} 2>&1 || echo cannot`);

			expect(Number.parseInt(result.stdout, 10)).toBeLessThan(7);
			expect(result.stdout).toContain('cannot');
		} finally {
			stranger.kill('SIGKILL');
		}
	});

	it('has no capabilities and gets none by a user namespace of its own [T087]', async () => {
		const result = await inside('grep -h ^Cap /proc/self/status; unshare -Ur true && echo nested; id -u; ulimit -c');

		expect(result.stdout.match(/0{16}/g)).toHaveLength(5);
		expect(result.stdout).not.toContain('nested');
		expect(result.stdout).toContain('\n1000\n');
	});

	it('cannot change the kernel, although the engine may run as root', async () => {
		const result = await inside(
			[
				'find /proc -path "/proc/[0-9]*" -prune -o -type f -writable -print 2>/dev/null',
				'for f in kernel/core_pattern kernel/hostname vm/overcommit_memory user/max_user_namespaces; do',
				'  v=$(cat /proc/sys/$f); (echo "$v" > /proc/sys/$f) 2>/dev/null && echo "wrote $f"; done',
				'ls /sys 2>&1',
			].join('\n'),
		);

		expect(result.stdout).toBe("ls: cannot access '/sys': No such file or directory\n");
	});

	it('fills its own scratch space, not the memory of the machine [T086]', async () => {
		const result = await inside('df -B1M --output=size /tmp /run /dev/shm | tail -n +2 | tr -d " "');

		expect(result.stdout).toBe('1024\n64\n1024\n');
	});

	it('measures and limits what runs in it from outside [T086]', async () => {
		const argv = sandboxArgv(sandbox, {
			argv: ['perl', '-e', '$x = "x" x 4e8; sleep 20'],
			cwd: '/',
			readOnly: [],
			writable: [],
		});

		const result = await run({ argv, cwd: '/', env: environment, limits: { memoryBytes: 100e6 }, deadlineMs: 15_000 });

		expect(result).toMatchObject({ status: 'limit-exceeded', limit: 'memory' });
		expect(result.wallMs).toBeLessThan(10_000);
	});

	it('tells a sandbox that could not be made from a program that failed', async () => {
		const spec = { argv: ['/bin/sh', '-c', 'echo "bwrap: no" >&2; exit 1'], cwd: '/', readOnly: [], writable: [] };
		const start = (change: Partial<SandboxSpec>) =>
			run({ argv: sandboxArgv(sandbox, { ...spec, ...change }), cwd: '/', env: environment });

		expect(await start({})).toMatchObject({ exitCode: 1, sandboxStarted: true });
		expect(await start({ argv: ['/no/such/program'] })).toMatchObject({ exitCode: 1, sandboxStarted: false });
		expect(await start({ readOnly: [{ source: '/no/such', at: '/x' }] })).toMatchObject({ sandboxStarted: false });
		expect(await start({ cwd: '/no/such' })).toMatchObject({ sandboxStarted: false });
		expect(await start({ argv: ['/bin/sh', '-c', 'kill -9 $$'] })).toMatchObject({
			exitCode: 137,
			sandboxStarted: true,
		});
	});

	it.skipIf(process.getuid?.() !== 0)('works for an ordinary user as well', async () => {
		await using folder = await temporaryFolder();
		await chmod(folder.path, 0o777);
		await mkdir(join(folder.path, 'bin'));
		const argv = sandboxArgv(sandbox, {
			argv: ['/bin/sh', '-c', 'id -u; echo 1 > made; touch /x 2>/dev/null; unshare -Ur true 2>/dev/null || echo held'],
			cwd: '/o',
			readOnly: [],
			writable: [{ source: folder.path, at: '/o' }],
		});
		const asNobody = [
			'setpriv',
			'--reuid=65534',
			'--regid=65534',
			'--clear-groups',
			'sh',
			'-c',
			'exec "$@" 3>/dev/null',
			'sh',
		];

		const result = await run({ argv: [...asNobody, ...argv], cwd: '/', env: environment });

		expect(result).toMatchObject({ exitCode: 0, stdout: '1000\nheld\n', stderr: '' });
	});

	it.each(['relative', '/a/../b', '/a/./b', '/a//b'])('refuses the mount path %s', (path) => {
		const spec = { argv: ['true'], cwd: '/', readOnly: [{ source: '/usr', at: path }], writable: [] };

		expect(() => sandboxArgv(sandbox, spec)).toThrowError(expect.objectContaining({ code: 'SANDBOX_SPEC' }));
	});
});

describe('openSandbox', () => {
	it('says why there is none: not installed, or it does not start', async () => {
		await using folder = await temporaryFolder();
		expect(await openSandbox({ path: folder.path })).toMatchObject({ isolation: 'none', reason: expect.any(String) });
		const fake = join(folder.path, 'bwrap');
		await writeFile(
			fake,
			'#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 9 || { echo "no namespaces here" >&2; exit 1; }\n',
		);
		await chmod(fake, 0o755);

		const found = await openSandbox({ path: folder.path });

		expect(found.isolation).toBe('none');
		if (process.platform === 'linux')
			expect(found).toMatchObject({ reason: expect.stringContaining('no namespaces here') });
	});

	it('does not wait for ever on a program that hangs', async () => {
		await using folder = await temporaryFolder();
		const fake = join(folder.path, 'bwrap');
		await writeFile(fake, '#!/bin/sh\n[ "$1" = --version ] || exec sleep 30\n');
		await chmod(fake, 0o755);

		expect(await openSandbox({ path: folder.path, probeDeadlineMs: 200 })).toMatchObject({ isolation: 'none' });
	});

	it('is refused as a sandbox when there is none', () => {
		const spec = { argv: ['true'], cwd: '/', readOnly: [], writable: [] };

		expect(() => sandboxArgv({ isolation: 'none', reason: 'a test' }, spec)).toThrowError(
			expect.objectContaining({ code: 'SANDBOX_SPEC', message: expect.stringContaining('a test') }),
		);
	});
});
