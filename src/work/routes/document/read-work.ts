import { type Why, why } from '../../../base/failures.ts';
import { COMPRESSIONS } from '../../../base/openpgp/message-task.ts';
import { nameProblem } from '../../relay/partners/destination.ts';
import type { DocumentReader } from './document-reader.ts';
import type { PlaceScope } from './read-place.ts';
import type { Decryption, Encryption, RouteWork } from './route.ts';

/** Returns what is wrong with options for a filter, or undefined. */
export type OptionsProblem = (filter: string, options: unknown) => string | undefined;

/** The names of the OpenPGP keys of an account that are not revoked. */
export interface KeyNames {
	readonly own: readonly string[];
	readonly partner: readonly string[];
}

const MEMBERS = ['operation', 'filter', 'options', 'decrypt', 'encrypt'] as const;
const OPERATIONS = ['tokenize', 'detokenize', 'none'] as const;

/** Reads what a route does with its files. `options` are those of the document, with numbers and true and false. */
export function readWork(
	reader: DocumentReader,
	value: unknown,
	options: unknown,
	scope: (PlaceScope & { readonly optionsProblem: OptionsProblem; readonly keys: KeyNames }) | undefined,
): RouteWork {
	const members = reader.members(['do'], value, MEMBERS);
	const operation = reader.choice(['do', 'operation'], members.operation, OPERATIONS, 'none');
	if (value !== undefined) reader.require(['do', 'operation'], members.operation, OPERATIONS.join(', '));
	const filter = readFilter(reader, members.filter, operation, scope?.filters);
	if (members.options !== undefined && operation === 'none') {
		reader.fault(['do', 'options'], why('nothing is done with the files: leave options out', 'member-unfit'));
	}
	if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options))) {
		reader.fault(['do', 'options'], why('expected the options of the format', 'type-expected', { type: 'object' }));
	} else if (options !== undefined && Object.hasOwn(options as object, 'pgp')) {
		const rule = 'say in do.decrypt and do.encrypt what a route does with OpenPGP messages';
		reader.fault(['do', 'options', 'pgp'], why(rule, 'member-unfit'));
	} else if (options !== undefined && filter !== undefined && scope?.filters.includes(filter)) {
		const problems = scope.optionsProblem(filter, options);
		if (problems !== undefined) reader.fault(['do', 'options'], why(problems, 'options-of-other-format'));
	}
	return {
		operation,
		filter,
		options: options as RouteWork['options'],
		decrypt: readDecryption(reader, members.decrypt, scope?.keys),
		encrypt: readEncryption(reader, members.encrypt, scope?.keys),
	};
}

function readFilter(
	reader: DocumentReader,
	value: unknown,
	operation: RouteWork['operation'],
	filters: readonly string[] | undefined,
): string | undefined {
	const filter = reader.text(['do', 'filter'], value, '', (text) =>
		filters === undefined || filters.includes(text)
			? undefined
			: why(`expected one of ${filters.join(', ')}`, 'not-one-of', { choices: filters.join(', ') }),
	);
	if (operation !== 'none') reader.require(['do', 'filter'], value, 'the format of the files, such as GBT');
	return filter === '' ? undefined : filter;
}

function readDecryption(reader: DocumentReader, value: unknown, names: KeyNames | undefined): Decryption | undefined {
	if (value === undefined) return undefined;
	const at = ['do', 'decrypt'];
	const members = reader.members(at, value, ['with', 'verifiedBy', 'unsigned']);
	reader.require([...at, 'with'], members.with, 'the name of an own key of the account');
	const key = reader.text([...at, 'with'], members.with, '', keyProblem(names, 'own'));
	const verifiedBy = reader.texts([...at, 'verifiedBy'], members.verifiedBy, keyProblem(names));
	const absent = verifiedBy.length > 0 ? 'refuse' : 'accept';
	const unsigned = reader.choice([...at, 'unsigned'], members.unsigned, ['refuse', 'accept'] as const, absent);
	return { with: key, verifiedBy, unsigned };
}

function readEncryption(reader: DocumentReader, value: unknown, names: KeyNames | undefined): Encryption | undefined {
	if (value === undefined) return undefined;
	const at = ['do', 'encrypt'];
	const members = reader.members(at, value, ['for', 'signWith', 'armor', 'compress']);
	reader.require([...at, 'for'], members.for, 'the names of the keys of those who may read the file');
	const readers = reader.texts([...at, 'for'], members.for, keyProblem(names));
	const isEmpty = Array.isArray(members.for) && members.for.length === 0;
	if (isEmpty) {
		const rule = 'expected the names of the keys of those who may read the file';
		reader.fault([...at, 'for'], why(rule, 'member-missing'));
	}
	const signWith = reader.text([...at, 'signWith'], members.signWith, '', keyProblem(names, 'own'));
	const armor = reader.flag([...at, 'armor'], members.armor, false);
	const compress = reader.choice([...at, 'compress'], members.compress, COMPRESSIONS, 'none');
	return { for: readers, ...(signWith !== '' && { signWith }), armor, compress };
}

/** Returns the check of the name of a key. Where it is not known which keys there are, only its form is checked. */
function keyProblem(names: KeyNames | undefined, kind?: 'own'): (name: string) => Why | undefined {
	return (name) => {
		const problem = nameProblem(name);
		if (problem !== undefined || names === undefined) return problem;
		const known = kind === 'own' ? names.own : [...names.own, ...names.partner];
		if (known.includes(name)) return undefined;
		const all = known.join(', ');
		const hint = known.length === 0 ? ': make or import one with pgp-key' : `; expected one of ${all}`;
		return why(`the account has no such OpenPGP key${hint}`, 'pgp-key-unknown', { known: all || '–' });
	};
}
