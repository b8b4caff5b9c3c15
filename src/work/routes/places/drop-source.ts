// The source of a route in a folder of the account's own, whose files are whole from the moment they are listed.

import { ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { DropFolder } from '../../drops/drop-store.ts';
import type { Drops } from '../../drops/drops.ts';
import type { Source } from './place.ts';

export function dropSource(drops: Pick<Drops, 'list' | 'find' | 'open' | 'remove'>, folder: DropFolder): Source {
	const { area, filter } = folder;
	const find = async (name: string) => {
		const file = await drops.find(folder, name);
		return file?.state === 'ready' ? file : undefined;
	};
	return {
		facts: { drop: `/${area}/${filter}` },
		isAlive: true,
		async *list() {
			for await (const files of drops.list(folder)) {
				const ready = files.filter(({ state }) => state === 'ready');
				yield ready.map(({ name, size, modified_at }) => ({ name, size, modifiedAtMs: modified_at }));
			}
		},
		async *read(name) {
			const file = await find(name);
			if (!file)
				throw new ServiceError('uri-not-found', {
					field: 'fileName',
					problem: 'the folder has no such file',
					told: told('partner-file-missing'),
				});
			const reader = await drops.open(folder, file);
			try {
				yield* reader.pieces();
			} finally {
				await reader.close();
			}
		},
		async remove(name) {
			const file = await find(name);
			if (file) await drops.remove(file);
		},
		async move() {
			throw new Error('internal error: a drop has no folders');
		},
		close() {},
	};
}
