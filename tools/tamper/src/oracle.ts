import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { labels } from './suite.ts';

/** Somebody on the scoring machine who knows the labels: what a candidate finds where the network is open. */
export interface Oracle extends AsyncDisposable {
	readonly port: number;
	/** Name of an abstract socket, without its leading zero byte. */
	readonly socket: string;
}

export async function openOracle(): Promise<Oracle> {
	const answer = () => createServer((client) => client.on('error', () => {}).end(`${labels.join(' ')}\n`));
	const loopback = answer().listen(0, '127.0.0.1');
	await once(loopback, 'listening');
	const socket = `kapso-tamper-${randomUUID()}`;
	const abstract = answer().listen(`\0${socket}`);
	await once(abstract, 'listening');
	return {
		port: (loopback.address() as AddressInfo).port,
		socket,
		async [Symbol.asyncDispose]() {
			const closed = [loopback, abstract].map((server) => once(server, 'close'));
			for (const server of [loopback, abstract]) server.close();
			await Promise.all(closed);
		},
	};
}
