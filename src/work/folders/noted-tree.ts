import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.ts';
import type { JobId } from '../../base/database/ids.ts';
import { noteFetch } from '../jobs/fetch-store.ts';
import type { Tree } from './tree.ts';
import { treeOver } from './tree-over.ts';

/**
 * Wraps the files that an sFTP user sees. When the user opens the output of a job, this is recorded with the user ID.
 */
export function notedTree(
	tree: Tree,
	userId: string,
	rooms: {
		readonly knex: Knex;
		readonly clock: Clock;
		readonly logger: { warn(details: object, message: string): void };
	},
): Tree {
	return treeOver(tree, {
		async open(path, mode) {
			const file = await tree.open(path, mode);
			const jobId = file.outputOf as JobId | undefined;
			if (jobId !== undefined) await noteFetch(rooms.knex, { jobId, userId, door: 'sftp' }, rooms);
			return file;
		},
	});
}
