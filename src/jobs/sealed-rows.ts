// Lists the columns that the seals of options and jobs cover: everything that decides for which account a file is
// processed, and how. A job's name and progress are not covered, because they change while it waits.

import type { RowShape } from '../keys/row-seals.ts';

export const sealedFormatOptions: RowShape = {
	table: 'format_options',
	id: ['account_id', 'filter'],
	columns: ['options'],
};

export const sealedJobs: RowShape = {
	table: 'jobs',
	id: ['id'],
	columns: ['account_id', 'user_id', 'operation', 'filter', 'options', 'input_id'],
};
