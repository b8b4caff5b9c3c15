// Measures uploads and downloads of one file with the programs that people use, beside OpenSSH's server.

import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clients, type FileClient } from '../test/helpers/daemon-clients.ts';
import { findMissing } from '../test/helpers/programs.ts';
import { cutBytes, runs, tellBytes } from './amounts.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import { besideRow, inTurns, offer, type Servers, withServers } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';

/** The clients, by their names in the table. */
export const CLIENTS: Readonly<Record<string, FileClient>> = {
	'OpenSSH sftp': clients.sftpPut,
	lftp: clients.lftp,
	rclone: clients.rclone,
	curl: clients.curl,
	paramiko: clients.paramiko,
};
const BYTES = cutBytes(64 * 1024 * 1024);
const LABEL = tellBytes(BYTES);
const RUNS = runs(3);

const whatOf = (name: string) => `${name}: upload and download of ${LABEL}`;

/** Returns two rows for each client, or one row that says which program is missing. */
export async function clientRows(folder: string): Promise<BenchRow[]> {
	// OpenSSH's client is always needed, because it sends the file that all clients then download.
	const missing = findMissingPrograms('sftp');
	if (missing.length > 0) return Object.keys(CLIENTS).map((name) => missingRow(whatOf(name), missing));
	return withServers(async (servers) => {
		const { path, bytes } = generate('NOCARD', join(folder, 'client.csv'), BYTES);
		await offer(servers, path, 'client.csv');
		const rows: BenchRow[] = [];
		for (const [name, client] of Object.entries(CLIENTS)) {
			const lacking = findMissing(client.needs);
			if (lacking.length > 0) rows.push(missingRow(whatOf(name), lacking));
			else rows.push(...(await rowsOf(servers, [name, client], { path, bytes })));
		}
		rmSync(path);
		return rows;
	});
}

async function rowsOf(
	servers: Servers,
	[name, client]: readonly [name: string, client: FileClient],
	{ path, bytes }: { readonly path: string; readonly bytes: number },
): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const verb of ['upload', 'download'] as const) {
		let nth = 0;
		const rates = await inTurns(servers, RUNS, async ({ door, inbox, outbox }) => {
			// Each transfer gets another name, because some clients skip files that are there already.
			const [local, remote] = [`${path}.${nth}`, `${inbox}/${client.name.replaceAll(' ', '-')}-${nth++}.filepart`];
			const started = performance.now();
			// The upload has a partial name, for which no job begins, so that only the upload is measured.
			const upload = () => client.put(door, path, remote);
			const download = () => client.get(door, `${outbox}/client.csv`, local);
			const { code, stderr } = await (verb === 'upload' ? upload() : download());
			if (code !== 0) throw new Error(`${name}: ${verb}: ${stderr}`);
			const ms = performance.now() - started;
			if (verb === 'download' && statSync(local).size !== bytes) throw new Error(`${name}: the download is not whole`);
			rmSync(local, { force: true });
			return bytes / 1000 / ms;
		});
		rows.push(besideRow({ what: `${name}: ${verb} of ${LABEL}`, name: `clients/${name}/${verb}`, rates }));
	}
	return rows;
}
