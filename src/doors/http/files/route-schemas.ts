// Defines the schemas of routes, their runs and their ledger, as callers get them.

import { Type } from '@sinclair/typebox';
import type { LedgerState } from '../../../work/routes/ledger/ledger-store.ts';
import type { ShownFile, ShownRun } from '../../../work/routes/runs/history.ts';
import type { RunState, RunTrigger } from '../../../work/routes/runs/run-store.ts';
import { nullable, optionalText } from '../calls/fields.ts';
import { CREATED, ID } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';

export const RUN_STATES = ['running', 'done', 'partly', 'failed', 'stopped'] as const satisfies RunState[];
export const FILE_STATES = ['seen', 'claimed', 'done', 'dead'] as const satisfies LedgerState[];
const TRIGGERS = ['cron', 'every', 'arrival', 'hand', 'http', 'missed'] as const satisfies RunTrigger[];
const count = Type.Integer({ minimum: 0 });

const LISTED = {
	name: Type.String(),
	state: Type.String({ enum: ['waiting', 'running', 'paused', 'failing', 'stopped'] }),
	nextRunAt: nullable('By its times; null if it has none, is paused or is stopped.'),
	lastRunAt: nullable(),
	lastOutcome: nullable('The state in which the last run ended.'),
	timeZone: Type.String(),
};
export const LISTED_ROUTE = named('ListedRoute', Type.Object(LISTED));
export const ROUTE = named(
	'Route',
	Type.Object({
		...LISTED,
		stoppedBecause: Type.Optional(Type.String({ description: 'Why it is stopped until somebody resumes it.' })),
		document: Type.Object({}, { additionalProperties: true, description: 'With every default; docs/routes.md.' }),
	}),
);
/** The schemas of what is to be taken again, and of what was. */
export const RETRY = named(
	'RouteRetry',
	Type.Object({
		file: optionalText('The path of a file that was given up.'),
		run: optionalText('The run in which files were given up.'),
	}),
);
export const RETRIED = named('RetriedFiles', Type.Object({ name: Type.String(), files: Type.Array(Type.String()) }));
export const RUN = named(
	'RouteRun',
	Type.Object({
		run: Type.String(),
		route: Type.String(),
		trigger: Type.String({ enum: TRIGGERS }),
		state: Type.String({ enum: RUN_STATES }),
		startedAt: Type.String(),
		endedAt: nullable(),
		files: Type.Array(
			Type.Object({
				path: Type.String(),
				name: Type.String(),
				size: count,
				state: Type.String({ enum: ['delivered', 'skipped', 'failed', 'dead'] }),
				reason: nullable(),
				job: nullable('Id of its job.'),
				cards: Type.Union([count, Type.Null()]),
				refused: Type.Union([count, Type.Null()]),
				deliveredAs: nullable('Its path at the target.'),
				tries: count,
			}),
		),
		reason: nullable('Why the run could not go on.'),
	}),
);
export const ROUTE_FILE = named(
	'RouteFile',
	Type.Object({
		path: Type.String(),
		size: count,
		modifiedAt: Type.String(),
		sha256: nullable('Of its content.'),
		state: Type.String({ enum: FILE_STATES }),
		run: nullable(),
		tries: count,
		nextTryAt: nullable(),
		reason: nullable(),
	}),
);

const LISTED_EXAMPLE = {
	name: 'nightly-visa',
	state: 'waiting',
	nextRunAt: '2026-03-03T01:30:00.000Z',
	lastRunAt: null,
	lastOutcome: null,
	timeZone: 'Europe/Berlin',
};
export const DOCUMENT_EXAMPLE = {
	name: 'nightly-visa',
	from: { drop: '/tokenized/GBT', files: ['*.csv'] },
	do: { operation: 'none' },
	to: { drop: '/tokenized/CSV' },
	when: { cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' },
};
export const LIST_EXAMPLE = [LISTED_EXAMPLE];
export const ROUTE_EXAMPLE = {
	...LISTED_EXAMPLE,
	document: {
		name: DOCUMENT_EXAMPLE.name,
		from: {
			...DOCUMENT_EXAMPLE.from,
			ready: { unchanged: '0s', minAge: '0s', empty: 'alarm' },
			afterwards: 'keep',
			onFailure: 'keep',
			again: 'never',
		},
		do: DOCUMENT_EXAMPLE.do,
		to: {
			...DOCUMENT_EXAMPLE.to,
			name: '{name}',
			exists: 'refuse',
			temporaryName: '.{name}.{run}.part',
			checksum: 'none',
		},
		when: DOCUMENT_EXAMPLE.when,
		missed: 'run',
		retry: { tries: 8, first: '30s', longest: '1h' },
		paused: false,
	},
};
const RUN_EXAMPLE: ShownRun = {
	run: ID,
	route: 'nightly-visa',
	trigger: 'cron',
	state: 'done',
	startedAt: CREATED,
	endedAt: CREATED,
	files: [
		{
			path: 'may.csv',
			name: 'may.csv',
			size: 1_024,
			state: 'delivered',
			reason: null,
			job: ID,
			cards: 12,
			refused: 0,
			deliveredAs: 'in/may.csv',
			tries: 1,
		},
	],
	reason: null,
};
export const RUNS_EXAMPLE = [RUN_EXAMPLE];
export const ASKED_EXAMPLE: ShownRun = { ...RUN_EXAMPLE, trigger: 'http', state: 'running', endedAt: null, files: [] };
export const FILES_EXAMPLE: ShownFile[] = [
	{
		path: 'may.csv',
		size: 1_024,
		modifiedAt: CREATED,
		sha256: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
		state: 'done',
		run: ID,
		tries: 0,
		nextTryAt: null,
		reason: null,
	},
];
