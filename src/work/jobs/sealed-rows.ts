// Lists the columns that the seals of options and jobs cover: everything that decides for which account a file is
// processed, and how. A job's name and progress are not covered, because they change while it waits.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';

export const sealedFormatOptions: RowShape = {
	table: 'format_options',
	id: ['account_id', 'filter'],
	columns: ['options', 'updated_at'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

export const sealedJobs: RowShape = {
	table: 'jobs',
	id: ['id'],
	columns: ['account_id', 'user_id', 'operation', 'filter', 'options', 'input_id'],
	freshness: {
		by: 'nothing',
		because:
			'it would process a file of its account once more, into a folder that only those see who may send the file',
	},
};
