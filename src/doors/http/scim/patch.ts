// Changes the attributes of a person or a group as a PATCH says (RFC 7644, section 3.5.2), also in the spellings of Entra ID and Okta:
// names of operations in any case, values without a path, and paths as the names of values. What is not kept is passed over,
// as it is in a PUT.

import { type Attributes, asObject, isAbsent, listOf } from './exchange.ts';
import { ScimError } from './scim-error.ts';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MAX_STEPS = 100;

/** What can be changed of a kind of document. */
export interface Patchable {
	readonly schema: string;
	readonly attributes: readonly string[];
	readonly parts: Readonly<Record<string, readonly string[]>>;
	/** The attributes that are lists: `add` keeps the entries that are there. */
	readonly lists: readonly string[];
	readonly required: readonly string[];
}

/** An attribute, an entry of a list that has a value, and a part: `emails[type eq "work"].value`. */
const PATH = /^([A-Za-z][\w-]*)(?:\[\s*(\w+)\s+eq\s+(?:"([^"]*)"|(true|false))\s*\])?(?:\.([A-Za-z][\w-]*))?$/i;

interface Place {
	readonly name: string;
	readonly part?: string;
	/** The entry of a list: what its part has. */
	readonly entry?: { readonly part: string; readonly value: string };
}

/** What an operation does, and to what kind of document. */
interface Doing {
	readonly verb: 'add' | 'replace' | 'remove';
	readonly kind: Patchable;
}

/** A change at one path. An operation without a path is one for each name of its value. */
interface Step {
	readonly verb: Doing['verb'];
	readonly path: string;
	readonly value: unknown;
}

/**
 * Applies a PATCH to attributes and returns them.
 * @throws ScimError if it is none
 */
export function patched(attributes: Attributes, body: Attributes, kind: Patchable): Attributes {
	const operations = body.Operations ?? body.operations;
	const schemas = [body.schemas ?? PATCH_SCHEMA].flat();
	if (!schemas.includes(PATCH_SCHEMA) || !Array.isArray(operations) || operations.length === 0)
		throw new ScimError(400, `expected Operations and the schema ${PATCH_SCHEMA}`, 'invalidSyntax');
	const steps = (operations as Attributes[]).flatMap(stepsOf);
	if (steps.length > MAX_STEPS) throw new ScimError(400, `expected at most ${MAX_STEPS} changes`, 'invalidSyntax');
	for (const { verb, path, value } of steps) applyAt(attributes, { verb, kind }, path, value);
	return attributes;
}

function stepsOf(operation: Attributes): Step[] {
	const { op, path, value } = operation ?? {};
	const verb = typeof op === 'string' ? op.toLowerCase() : undefined;
	if (verb !== 'add' && verb !== 'replace' && verb !== 'remove')
		throw new ScimError(400, 'op: expected add, replace or remove', 'invalidSyntax');
	if (typeof path === 'string' && path !== '') return [{ verb, path, value }];
	if (!isAbsent(path)) throw new ScimError(400, 'path: expected a text', 'invalidPath');
	if (verb === 'remove') throw new ScimError(400, 'remove needs a path', 'invalidPath');
	return Object.entries(asObject('value', value)).map(([name, each]) => ({ verb, path: name, value: each }));
}

function applyAt(attributes: Attributes, doing: Doing, path: string, value: unknown): void {
	const { verb, kind } = doing;
	const place = placeOf(path, kind);
	if (!place) return;
	const { name, part, entry } = place;
	if (verb === 'remove' && kind.required.includes(name))
		throw new ScimError(400, `${name} cannot be removed`, 'mutability');
	if (entry) {
		applyToEntry(attributes, doing, { ...place, entry }, value);
	} else if (part !== undefined) {
		if (name !== 'name') throw new ScimError(400, `${path}: say which entry`, 'invalidPath');
		const whole = { ...(attributes.name as Attributes | undefined) };
		attributes.name = verb === 'remove' ? without(whole, part) : { ...whole, [part]: value };
	} else if (verb === 'remove') {
		// Entra ID names the entries that it removes in the value; without one, all of them go.
		const isSome = kind.lists.includes(name) && entriesOf(name, value).length > 0;
		if (isSome) attributes[name] = remaining(name, attributes[name], value);
		else delete attributes[name];
	} else if (verb === 'add' && kind.lists.includes(name))
		attributes[name] = [...remaining(name, attributes[name], value), ...entriesOf(name, value)];
	else if (verb === 'add' && name === 'name')
		attributes.name = { ...(attributes.name as object), ...asObject(name, value) };
	else attributes[name] = value;
}

/** Changes an entry of a list. An entry that is not there is made, as Entra ID expects. */
function applyToEntry(
	attributes: Attributes,
	{ verb, kind }: Doing,
	{ name, part, entry }: Required<Pick<Place, 'entry'>> & Place,
	value: unknown,
): void {
	const list = entriesOf(name, attributes[name]);
	const wanted = entry.value.toLowerCase();
	const isMeant = ({ [entry.part]: has }: Attributes) =>
		typeof has !== 'object' && String(has).toLowerCase() === wanted;
	if (verb === 'remove') {
		attributes[name] = list.flatMap((each) =>
			!isMeant(each) ? [each] : part === undefined ? [] : [without(each, part)],
		);
		return;
	}
	const known = kind.parts[name];
	const written = part === undefined ? only(known, asObject(name, value)) : { [part]: value };
	if (!kind.lists.includes(name)) {
		attributes[name] = [written];
		return;
	}
	if (!list.some(isMeant)) list.push({ [entry.part]: entry.value });
	attributes[name] = list.map((each) => (isMeant(each) ? { ...each, ...written } : each));
}

function remaining(name: string, before: unknown, others: unknown): Attributes[] {
	const values = new Set(entriesOf(name, others).map(({ value }) => value));
	return entriesOf(name, before).filter(({ value }) => !values.has(value));
}

/** Returns the entries of a list that are objects, as all of them have to be. */
function entriesOf(name: string, list: unknown): Attributes[] {
	return listOf(name, list).filter((each): each is Attributes => typeof each === 'object' && each !== null);
}

function without(given: Attributes, part: string): Attributes {
	return only(
		Object.keys(given).filter((name) => name !== part),
		given,
	);
}

function only(names: readonly string[], given: Attributes): Attributes {
	return Object.fromEntries(names.filter((name) => name in given).map((name) => [name, given[name]]));
}

/** Returns what a path names; undefined if it is nothing that is kept. @throws ScimError if it is no path */
function placeOf(path: string, { schema, attributes, parts }: Patchable): Place | undefined {
	const bare = path.toLowerCase().startsWith(`${schema.toLowerCase()}:`) ? path.slice(schema.length + 1) : path;
	if (/^urn:/i.test(bare)) return undefined;
	const [, attribute, entryPart, quoted, plain, part] = PATH.exec(bare) ?? [];
	if (attribute === undefined) throw new ScimError(400, 'path: cannot be read', 'invalidPath');
	const name = attributes.find((each) => each.toLowerCase() === attribute.toLowerCase());
	if (name === undefined) return undefined;
	const known = (text: string) => parts[name]?.find((each) => each.toLowerCase() === text.toLowerCase());
	const found = part === undefined ? undefined : known(part);
	if (part !== undefined && found === undefined) return undefined;
	if (entryPart === undefined) return { name, part: found };
	const by = name === 'name' ? undefined : known(entryPart);
	if (by === undefined) throw new ScimError(400, `${attribute} has no entries with ${entryPart}`, 'invalidPath');
	return { name, part: found, entry: { part: by, value: quoted ?? plain ?? '' } };
}
