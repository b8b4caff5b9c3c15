// Replaces the engine in tests of everything around it. It copies a file and replaces one marker by another, in both
// directions. Words in the file decide how it ends: see `MARKS`.

import type { Knex } from 'knex';
import type { JobId, PassId } from '../../src/base/database/ids.ts';
import type { Database } from '../../src/base/database/open.ts';
import type { TransferEngine } from '../../src/engine/engine.ts';
import { FileError } from '../../src/engine/format.ts';
import { emptySummary } from '../../src/engine/report.ts';
import type { JobLedgers } from '../../src/work/jobs/worker-parts.ts';

export const NUMBER = '<number>';
export const TOKEN = '<token!>';

/** Words in a line of a file, each of which makes the double fail, end, wait or refuse a card when it reads them. */
export const MARKS = {
	bad: '#bad',
	bug: '#bug',
	away: '#away',
	crash: '#crash',
	slow: '#slow',
	refused: '#refused',
} as const;

/** Makes a table whose rows stand for pages of the vault, which do not count until they are adopted. */
export async function makeEngineTables(knex: Knex): Promise<void> {
	await knex.schema.createTable('engine_pages', (table) => {
		table.increments('id');
		table.string('job_id');
		table.boolean('adopted');
	});
}

export interface EngineHooks {
	/** This function is called with every chunk of every file. */
	onChunk?(jobId: string, chunk: number): Promise<void> | void;
}

/** Returns the one pass that the double has for all attempts at a job, under the id of the job. */
const passOf = (id: JobId) => id as string as PassId;

/** Returns ledgers of jobs without an audit trail or an account to pay. They only adopt or drop the double's pages. */
export function ledgersDouble(engine: Pick<TransferEngine, 'adopt' | 'discard' | 'discardAttempts'>): JobLedgers {
	return {
		open: async ({ id, account_id }) => ({
			pass: { id: passOf(id), jobId: id },
			begin: () => engine.discardAttempts(id, { requireOurs: async () => {} }),
			endOf: () => ({ id: passOf(id), payer: { accountId: account_id, ownerId: account_id }, units: 0, entries: [] }),
			endBroken: () => engine.discard(passOf(id)),
			findWarning: async () => undefined,
		}),
		end: (ends, transaction) =>
			engine.adopt(
				transaction,
				ends.map(({ id }) => id),
			),
		drop: ({ id }) => engine.discardAttempts(id, { requireOurs: async () => {} }),
	};
}

/** Opens a double of the engine over a real database. */
export function engineDouble({ knex }: Pick<Database, 'knex'>, hooks: EngineHooks = {}): TransferEngine {
	return {
		async run({ pass: { id: jobId }, direction, source, sink, report, onProgress }) {
			const summary = emptySummary();
			const [from, to] = direction === 'tokenize' ? [NUMBER, TOKEN] : [TOKEN, NUMBER];
			let rest = '';
			let chunks = 0;
			const work = async (text: string) => {
				for (const line of text.split(/(?<=\n)/)) await workLine(line);
			};
			const workLine = async (line: string) => {
				if (line === '') return;
				summary.records += 1;
				const offset = summary.bytesWritten;
				const place = { record: summary.records, line: summary.records, offset };
				if (line.includes(MARKS.bad)) throw new FileError('expected a line without the word', place);
				if (line.includes(MARKS.away)) throw Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
				if (line.includes(MARKS.bug)) throw new Error('internal error: secret 4111111111111111');
				if (line.includes(MARKS.crash)) process.exit(9);
				if (line.includes(MARKS.slow)) await new Promise((resolve) => setTimeout(resolve, 150));
				if (line.includes(MARKS.refused)) {
					summary.refused += 1;
					const entry = { ...place, outcome: 'refused', reason: 'Luhn (Mod10) error', lastFour: '1112' } as const;
					await report.entry(entry, summary.cards + summary.refused);
				}
				summary.cards += line.split(from).length - 1;
				const bytes = Buffer.from(line.replaceAll(from, to));
				await sink.write(bytes);
				summary.bytesWritten += bytes.length;
			};
			await knex('engine_pages').insert({ job_id: jobId, adopted: false });
			for await (const chunk of source) {
				await hooks.onChunk?.(jobId, ++chunks);
				summary.bytesRead += chunk.length;
				const text = rest + Buffer.from(chunk).toString('latin1');
				const end = text.lastIndexOf('\n') + 1;
				rest = text.slice(end);
				await work(text.slice(0, end));
				onProgress?.(summary);
			}
			await work(rest);
			return summary;
		},
		async discard(jobId) {
			await knex('engine_pages').where({ job_id: jobId, adopted: false }).delete();
		},
		async discardAttempts(jobId) {
			await knex('engine_pages').where({ job_id: jobId, adopted: false }).delete();
		},
		async adopt(transaction, jobIds) {
			await transaction('engine_pages')
				.whereIn('job_id', [...jobIds])
				.update({ adopted: true });
		},
	};
}
