#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
	process.stderr.write(
		`kapso-evolve needs Node.js 22.18 or newer; this is ${process.version}. Install a current Node.js and run it again.\n`,
	);
	process.exit(2);
}
const { main } = await import('../dist/index.js');
await main(process.argv);
