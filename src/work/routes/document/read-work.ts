import { nameProblem } from '../../relay/partners/destination.ts';
import type { DocumentReader, Members } from './document-reader.ts';
import type { PlaceScope } from './read-place.ts';
import type { RouteWork } from './route.ts';

/** Returns what is wrong with options for a filter, or undefined. */
export type OptionsProblem = (filter: string, options: unknown) => string | undefined;

const MEMBERS = ['operation', 'filter', 'options', 'decrypt', 'encrypt'] as const;
const OPERATIONS = ['tokenize', 'detokenize', 'none'] as const;

/** Reads what a route does with its files. `options` are those of the document, with numbers and true and false. */
export function readWork(
	reader: DocumentReader,
	value: unknown,
	options: unknown,
	scope: (PlaceScope & { readonly optionsProblem: OptionsProblem }) | undefined,
): RouteWork {
	const members = reader.members(['do'], value, MEMBERS);
	const operation = reader.choice(['do', 'operation'], members.operation, OPERATIONS, 'none');
	if (value !== undefined) reader.require(['do', 'operation'], members.operation, OPERATIONS.join(', '));
	const filter = readFilter(reader, members.filter, operation, scope?.filters);
	if (members.options !== undefined && operation === 'none') {
		reader.fault(['do', 'options'], 'nothing is done with the files: leave options out');
	}
	if (options !== undefined && (typeof options !== 'object' || options === null || Array.isArray(options))) {
		reader.fault(['do', 'options'], 'expected the options of the format');
	} else if (options !== undefined && filter !== undefined && scope?.filters.includes(filter)) {
		const problem = scope.optionsProblem(filter, options);
		if (problem !== undefined) reader.fault(['do', 'options'], problem);
	}
	return {
		operation,
		filter,
		options: options as RouteWork['options'],
		decrypt: readDecryption(reader, members.decrypt),
		encrypt: readEncryption(reader, members.encrypt),
	};
}

function readFilter(
	reader: DocumentReader,
	value: unknown,
	operation: RouteWork['operation'],
	filters: readonly string[] | undefined,
): string | undefined {
	const filter = reader.text(['do', 'filter'], value, '', (text) =>
		filters === undefined || filters.includes(text) ? undefined : `expected one of ${filters.join(', ')}`,
	);
	if (operation !== 'none') reader.require(['do', 'filter'], value, 'the format of the files, such as GBT');
	return filter === '' ? undefined : filter;
}

const NO_PGP = 'this version cannot read or write OpenPGP yet: leave it out';

function readDecryption(reader: DocumentReader, value: unknown): Members | undefined {
	if (value === undefined) return undefined;
	const at = ['do', 'decrypt'];
	const members = reader.members(at, value, ['with', 'verifiedBy', 'unsigned']);
	reader.require([...at, 'with'], members.with, 'the name of a key of the account');
	const key = reader.text([...at, 'with'], members.with, '', nameProblem);
	const verifiedBy = reader.texts([...at, 'verifiedBy'], members.verifiedBy, nameProblem);
	const absent = verifiedBy.length > 0 ? 'refuse' : 'accept';
	const unsigned = reader.choice([...at, 'unsigned'], members.unsigned, ['refuse', 'accept'], absent);
	reader.fault(at, NO_PGP);
	return { with: key, verifiedBy, unsigned };
}

function readEncryption(reader: DocumentReader, value: unknown): Members | undefined {
	if (value === undefined) return undefined;
	const at = ['do', 'encrypt'];
	const members = reader.members(at, value, ['for', 'signWith', 'armor', 'compress']);
	reader.require([...at, 'for'], members.for, 'the names of the keys of those who may read the file');
	const readers = reader.texts([...at, 'for'], members.for, nameProblem);
	const signWith = reader.text([...at, 'signWith'], members.signWith, '', nameProblem);
	const armor = reader.flag([...at, 'armor'], members.armor, false);
	const compress = reader.text([...at, 'compress'], members.compress, 'none');
	reader.fault(at, NO_PGP);
	return { for: readers, ...(signWith !== '' && { signWith }), armor, compress };
}
