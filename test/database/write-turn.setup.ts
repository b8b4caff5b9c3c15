// What write-turn.test.ts and write-turn.slow.test.ts share.

import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ExecutionContext } from 'ava';
import { transact } from '../../src/base/database/dialect.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import type { WritingThread } from '../helpers/writing-thread.ts';

export async function openCounted(t: ExecutionContext<unknown>) {
	const url = `sqlite:${join(makeFolder(t), 'turns.db')}`;
	const database = await openDatabase({ url });
	t.teardown(() => database.close());
	const { knex, writeTurn } = database;
	await knex.schema.createTable('counted', (table) => void table.integer('next'));
	await knex('counted').insert({ next: 0 });
	const start = (options: Omit<WritingThread, 'url' | 'writeTurn'>) => {
		const worker = new Worker(new URL('../helpers/writing-thread.ts', import.meta.url), {
			workerData: { url, writeTurn, ...options } satisfies WritingThread,
		});
		return { writing: once(worker, 'message'), ended: once(worker, 'exit'), tell: () => worker.postMessage('end') };
	};
	const add = () =>
		transact(database, async (transaction) => {
			const { next } = await transaction('counted').first('next');
			await transaction('counted').update({ next: next + 1 });
		});
	const count = async () => (await knex('counted').first('next')).next as number;
	return { database, start, add, count };
}
