// Defines the schemas of routes, their runs and their ledger, as callers get them.

import { Type } from '@sinclair/typebox';
import type { LedgerState } from '../../../work/routes/ledger/ledger-store.ts';
import type { RunState, RunTrigger } from '../../../work/routes/runs/run-store.ts';
import { answerOf, membersOf } from '../calls/content.ts';
import { nullable, optionalText } from '../calls/fields.ts';
import { CREATED, ID } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';

export const RUN_STATES = ['running', 'done', 'partly', 'failed', 'stopped'] as const satisfies RunState[];
export const FILE_STATES = ['seen', 'claimed', 'done', 'dead'] as const satisfies LedgerState[];
const TRIGGERS = ['cron', 'every', 'arrival', 'hand', 'http', 'missed'] as const satisfies RunTrigger[];
const count = Type.Integer({ minimum: 0 });

const LISTED_MEMBERS = {
	name: [Type.String(), 'nightly-visa'],
	state: [Type.String({ enum: ['waiting', 'running', 'paused', 'failing', 'stopped'] }), 'waiting'],
	nextRunAt: [nullable('By its times; null if it has none, is paused or is stopped.'), '2026-03-03T01:30:00.000Z'],
	lastRunAt: [nullable(), null],
	lastOutcome: [nullable('The state in which the last run ended.'), null],
	timeZone: [Type.String(), 'Europe/Berlin'],
} as const;
export const LISTED_ROUTE = answerOf('Route', 'ListedRoute', LISTED_MEMBERS);
export const DOCUMENT_EXAMPLE = {
	name: 'nightly-visa',
	from: { drop: '/tokenized/GBT', files: ['*.csv'] },
	do: { operation: 'none' },
	to: { drop: '/tokenized/CSV' },
	when: { cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' },
};
export const ROUTE = answerOf('Route', 'Route', {
	...LISTED_MEMBERS,
	stoppedBecause: [Type.Optional(Type.String({ description: 'Why it is stopped until somebody resumes it.' }))],
	document: [
		Type.Object({}, { additionalProperties: true, description: 'With every default; docs/routes.md.' }),
		{
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
	],
});
/** What a call names that has files taken again, and below, which files its answer lists. */
export const RETRY = named(
	'RouteRetry',
	Type.Object({
		file: optionalText('The path of a file that was given up.'),
		run: optionalText('The run in which files were given up.'),
	}),
);
const RETRIED_SHAPE = { root: 'Retried', items: { files: 'File' } };
export const RETRIED = answerOf(RETRIED_SHAPE, 'RetriedFiles', {
	name: [Type.String(), 'nightly-visa'],
	files: [Type.Array(Type.String()), ['may.csv']],
});
const RUN_FILE = membersOf({
	path: [Type.String(), 'may.csv'],
	name: [Type.String(), 'may.csv'],
	size: [count, 1_024],
	state: [Type.String({ enum: ['delivered', 'skipped', 'failed', 'dead'] }), 'delivered'],
	reason: [nullable(), null],
	job: [nullable('Id of its job.'), ID],
	cards: [Type.Union([count, Type.Null()]), 12],
	refused: [Type.Union([count, Type.Null()]), 0],
	deliveredAs: [nullable('Its path at the target.'), 'in/may.csv'],
	tries: [count, 1],
});
const RUN_SHAPE = { root: 'RouteRun', items: { files: 'File' } };
export const RUN = answerOf(RUN_SHAPE, 'RouteRun', {
	run: [Type.String(), ID],
	route: [Type.String(), 'nightly-visa'],
	trigger: [Type.String({ enum: TRIGGERS }), 'cron'],
	state: [Type.String({ enum: RUN_STATES }), 'done'],
	startedAt: [Type.String(), CREATED],
	endedAt: [nullable(), CREATED],
	files: [Type.Array(RUN_FILE.schema), [RUN_FILE.example]],
	reason: [nullable('Why the run could not go on.'), null],
});
export const ASKED_RUN = {
	...RUN,
	example: { ...RUN.example, trigger: 'http', state: 'running', endedAt: null, files: [] },
};
export const ROUTE_FILE = answerOf('RouteFile', 'RouteFile', {
	path: [Type.String(), 'may.csv'],
	size: [count, 1_024],
	modifiedAt: [Type.String(), CREATED],
	sha256: [nullable('Of its content.'), 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'],
	state: [Type.String({ enum: FILE_STATES }), 'done'],
	run: [nullable(), ID],
	tries: [count, 0],
	nextTryAt: [nullable(), null],
	reason: [nullable(), null],
});
