// The form with which somebody makes a route without writing its document: its fields, the document that they make, and
// the field to which each fault of that document belongs.

import type { RouteScope } from '../../../../../work/routes/document/read-route.ts';
import type { Choices, Field } from '../../kinds/form-part.ts';
import type { PortalCall } from '../../portal-page.ts';
import type { TextKey } from '../../texts.ts';

type Fields = Readonly<Record<string, string | undefined>>;

const WHEN = ['daily', 'weekdays', 'hourly', 'arrival', 'hand'] as const;
const AFTERWARDS = ['keep', 'delete', 'move'] as const;
const OPERATIONS = ['tokenize', 'none'] as const;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
/** The days of the week by cron: Monday to Friday, or all. */
const DAYS = { daily: '*', weekdays: '1-5' } as const;

const PLAIN = { autocomplete: 'off' } as const;
const folder: Field<RouteScope> = {
	...PLAIN,
	name: 'toPath',
	label: 'routes.form.folder',
	hint: 'routes.form.toPathHint',
};

/** The fields, in the order in which a file takes its way. */
export const ROUTE_FIELDS: readonly Field<RouteScope>[] = [
	{ ...PLAIN, name: 'name', label: 'words.name', hint: 'routes.form.nameHint', maxLength: 64 },
	{
		name: 'from',
		label: 'routes.form.from',
		group: 'routes.from',
		choices: (scope, { say }) => [['', say('routes.form.choose')], ...placesOf(scope, ['tokenized', 'reports'])],
	},
	{ ...PLAIN, name: 'fromPath', label: 'routes.form.folder', hint: 'routes.form.fromPathHint', group: 'routes.from' },
	{ ...PLAIN, name: 'files', label: 'routes.form.files', hint: 'routes.form.filesHint', group: 'routes.from' },
	{ ...PLAIN, name: 'fromDone', label: 'routes.form.fromDone', hint: 'routes.form.fromDoneHint', group: 'routes.from' },
	{
		name: 'afterwards',
		label: 'routes.form.afterwards',
		group: 'routes.from',
		choices: (_, { say }) => AFTERWARDS.map((each) => [each, say(`routes.form.afterwardses.${each}`)]),
	},
	{
		name: 'operation',
		label: 'routes.form.operation',
		group: 'routes.does',
		choices: (_, { say }) => OPERATIONS.map((each) => [each, say(`routes.operations.${each}`)]),
	},
	{
		name: 'filter',
		label: 'files.format',
		group: 'routes.does',
		choices: ({ filters }, { say }) => [['', say('routes.form.choose')], ...filters.map(same)],
	},
	keyField('decrypt', 'routes.form.decrypt', 'own'),
	keyField('verifiedBy', 'routes.form.verifiedBy', 'partner'),
	keyField('encrypt', 'routes.form.encrypt', 'partner'),
	keyField('sign', 'routes.form.sign', 'own'),
	{
		name: 'to',
		label: 'routes.form.to',
		group: 'routes.to',
		choices: (scope, { say }) => [['', say('routes.form.choose')], ...placesOf(scope, ['tokenize', 'tokenized'])],
	},
	{ ...folder, group: 'routes.to' },
	{ ...PLAIN, name: 'toName', label: 'routes.form.toName', hint: 'routes.form.toNameHint', group: 'routes.to' },
	{ ...PLAIN, name: 'toDone', label: 'routes.form.toDone', hint: 'routes.form.toDoneHint', group: 'routes.to' },
	{ name: 'checksum', label: 'routes.form.checksum', group: 'routes.to', isTicked: () => false },
	{
		name: 'when',
		label: 'routes.form.when',
		group: 'words.when',
		choices: (_, { say }) => WHEN.map((each) => [each, say(`routes.form.whens.${each}`)]),
	},
	{
		...PLAIN,
		name: 'time',
		label: 'routes.form.time',
		hint: 'routes.form.timeHint',
		group: 'words.when',
		maxLength: 5,
	},
	{ name: 'zone', label: 'words.timeZone', group: 'words.when', value: () => 'UTC', choices: () => zones() },
	{ ...PLAIN, name: 'by', label: 'routes.form.by', hint: 'routes.form.byHint', group: 'words.when', maxLength: 5 },
];

function keyField(name: string, label: TextKey, kind: 'own' | 'partner'): Field<RouteScope> {
	return {
		name,
		label,
		group: 'routes.does',
		hint: ({ keys }, { say }) => say(keys[kind].length === 0 ? `routes.form.noKeys.${kind}` : 'routes.form.keyHint'),
		choices: ({ keys }, { say }) => [['', say('routes.form.noKey')], ...keys[kind].map(same)],
	};
}

function same(name: string): readonly [string, string] {
	return [name, name];
}

/** Returns the places that can be chosen at one end. Each value names the kind and the place. */
function placesOf({ destinations, folders, filters }: RouteScope, areas: readonly string[]): Choices {
	const drops = areas.flatMap((area) => filters.map((filter) => `/${area}/${filter}`));
	return [
		...destinations.map((name) => [`destination ${name}`, name] as const),
		...drops.map((drop) => [`drop ${drop}`, drop] as const),
		...folders.map((path) => [`folder ${path}`, path] as const),
	];
}

let allZones: Choices | undefined;

function zones(): Choices {
	allZones ??= ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(same);
	return allZones;
}

/** Returns what is wrong with fields before they make a document. */
export function fieldProblems({ say, form }: PortalCall): Record<string, string> {
	const isAtTime = form.when === 'daily' || form.when === 'weekdays';
	const problem = say('routes.form.aTime');
	return {
		...(isAtTime && !TIME.test(form.time?.trim() ?? '') && { time: problem }),
		...(form.by?.trim() && !TIME.test(form.by.trim()) && { by: problem }),
	};
}

/** Makes the document that the fields say. What was left empty is left out, so that its reader says what is missing. */
export function documentOf(form: Fields): object {
	const { name, files, fromDone, afterwards, operation, filter } = trimmed(form);
	const { decrypt, verifiedBy, encrypt, sign, toName, toDone, checksum, zone, by } = trimmed(form);
	const expected =
		by !== undefined && TIME.test(by) ? { by, days: form.when === 'weekdays' ? '1-5' : undefined } : undefined;
	return {
		name,
		from: {
			...placeOf(form.from, form.fromPath),
			files: files?.split(',').map((pattern) => pattern.trim()),
			ready: fromDone === undefined ? undefined : { doneFile: fromDone },
			afterwards: afterwards === 'move' ? { move: 'done/{date:yyyy-MM}' } : afterwards,
		},
		do: {
			operation,
			filter,
			decrypt: decrypt && { with: decrypt, verifiedBy: verifiedBy && [verifiedBy] },
			encrypt: encrypt && { for: [encrypt], signWith: sign },
		},
		to: {
			...placeOf(form.to, form.toPath),
			name: toName,
			doneFile: toDone,
			checksum: checksum === undefined ? undefined : 'sha256',
		},
		when: timesOf(form),
		expect: expected && { ...expected, timeZone: zone },
	};
}

function trimmed(form: Fields): Fields {
	return Object.fromEntries(Object.entries(form).map(([name, text]) => [name, text?.trim() || undefined]));
}

function placeOf(chosen = '', path = ''): object {
	const at = chosen.indexOf(' ');
	if (at === -1) return {};
	return { [chosen.slice(0, at)]: chosen.slice(at + 1), path: path.trim() || undefined };
}

function timesOf({ when, time = '', zone }: Fields): object | undefined {
	const [, hour, minute] = TIME.exec(time.trim()) ?? [];
	if (when === 'daily' || when === 'weekdays') {
		return hour === undefined ? undefined : { cron: `${+minute} ${+hour} * * ${DAYS[when]}`, timeZone: zone };
	}
	if (when === 'hourly') return { every: '1h' };
	return when === 'arrival' ? { arrival: true } : undefined;
}

/** The fields by the paths of the document that they make, longer paths first. */
const FIELDS_OF_PATHS: readonly (readonly [path: string, field: string])[] = [
	['from.ready', 'fromDone'],
	['from.path', 'fromPath'],
	['from.files', 'files'],
	['from.afterwards', 'afterwards'],
	['from', 'from'],
	['do.decrypt.verifiedBy', 'verifiedBy'],
	['do.decrypt', 'decrypt'],
	['do.encrypt.signWith', 'sign'],
	['do.encrypt', 'encrypt'],
	['do.filter', 'filter'],
	['do', 'operation'],
	['to.path', 'toPath'],
	['to.name', 'toName'],
	['to.doneFile', 'toDone'],
	['to.checksum', 'checksum'],
	['to', 'to'],
	['when.timeZone', 'zone'],
	['when', 'when'],
	['expect.timeZone', 'zone'],
	['expect', 'by'],
	['name', 'name'],
];

/** Returns the field to which a fault of the document belongs; an empty name if there is none. */
export function fieldOfPath(path: string): string {
	const isWithin = (outer: string) => path === outer || path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`);
	return FIELDS_OF_PATHS.find(([outer]) => isWithin(outer))?.[1] ?? '';
}
