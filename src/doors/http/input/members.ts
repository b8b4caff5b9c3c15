// Gives access to the members of a body by their names, in upper or lower case (shapes, opening). Code that reads them
// need not know whether the body is JSON or XML, and members that no code reads are ignored. Only members in the schema
// of the body can be read, and a member is checked against its schema when it is read.

import type { Static, TSchema } from '@sinclair/typebox';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { listProblem, type MemberSchema, memberOf, numberProblem, spelled, textProblem } from './member-rules.ts';
import type { RequestBody } from './request-body.ts';
import type { XmlElement } from './xml-reader.ts';

/** A member as it was sent: a JSON value or an XML element; undefined if the body has the member more than once. */
type Raw = { readonly json: unknown } | { readonly xml: XmlElement } | undefined;

export interface BodyShape<S extends TSchema> {
	readonly root: string;
	readonly schema: S;
}

/** Holds the members of one object of a body. `path` names the object in error texts. */
export class Members<T> {
	readonly path: string;
	readonly #schema: MemberSchema;
	readonly #raw = new Map<string, Raw>();

	private constructor(path: string, schema: MemberSchema) {
		this.path = path;
		this.#schema = schema;
	}

	/** In XML, members are the children of the root element, which must have the expected name. */
	static of<S extends TSchema>(body: RequestBody | undefined, { root, schema }: BodyShape<S>): Members<Static<S>> {
		if (!body) throw badInput('body', 'expected JSON or XML');
		if (body.format === 'json') return Members.#ofJson(body.value, '', schema as MemberSchema);
		if (body.root.name.toLowerCase() !== root.toLowerCase()) {
			throw new ServiceError('message-malformed', { moreInfo: `element ${root} expected as root` });
		}
		return Members.#ofXml(body.root, '', schema as MemberSchema);
	}

	static #ofJson<T>(value: unknown, path: string, schema: MemberSchema): Members<T> {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			throw badInput(path || 'body', 'expected an object');
		}
		const members = new Members<T>(path, schema);
		for (const [name, json] of Object.entries(value)) members.#put(name, { json });
		return members;
	}

	static #ofXml<T>(element: XmlElement, path: string, schema: MemberSchema): Members<T> {
		const members = new Members<T>(path, schema);
		for (const [name, json] of element.attributes) members.#put(`@${name}`, { json });
		for (const xml of element.children) members.#put(xml.name, { xml });
		return members;
	}

	/** Returns whether a member is present and not null. */
	has(name: keyof T & string): boolean {
		if (!this.#raw.has(name.toLowerCase())) return false;
		const raw = this.#raw.get(name.toLowerCase());
		return raw === undefined || 'xml' in raw || (raw.json !== null && raw.json !== undefined);
	}

	/** Returns a member as text, also one sent as a number or boolean; undefined if it is absent, null or empty. */
	findText<N extends NamesOf<T, string> & Optional<T>>(name: N): TextOf<T, N> | undefined {
		return this.#text(name) as TextOf<T, N> | undefined;
	}

	/**
	 * Returns a text that the schema or the call requires.
	 * @throws ServiceError if it is absent
	 */
	getText<N extends NamesOf<T, string>>(name: N): TextOf<T, N> {
		const text = this.#text(name);
		if (text === undefined) throw this.problem(name, 'is required', told('member-missing'));
		return text as TextOf<T, N>;
	}

	/** Returns a text without checking it against the schema, because other code checks it. */
	findUnchecked(name: NamesOf<T, string>): string | undefined {
		return this.#uncheckedText(name);
	}

	/**
	 * Returns a text exactly as the caller wrote it, in XML with the blanks around it.
	 * @throws ServiceError if it is absent or invalid
	 */
	getVerbatim(name: NamesOf<T, string>): string {
		const raw = this.#find(name);
		if (!raw || !('xml' in raw) || raw.xml.children.length > 0 || raw.xml.verbatim === '') return this.getText(name);
		return raw.xml.verbatim;
	}

	/** Returns a member that is an object. Returns undefined if it is absent or null, or empty in XML. */
	findObject<N extends NamesOf<T, object> & Optional<T>>(name: N): Members<Part<T, N>> | undefined {
		return this.#findObject(name);
	}

	/** @throws ServiceError if it is absent */
	getObject<N extends NamesOf<T, object>>(name: N): Members<Part<T, N>> {
		const found = this.#findObject<Part<T, N>>(name);
		if (!found) throw this.problem(name, 'is required', told('member-missing'));
		return found;
	}

	/** Returns the items of a list, which in XML are the children of the member's element; none if it is absent. */
	list<N extends NamesOf<T, readonly object[]>>(name: N): readonly Members<Item<T, N>>[] {
		const raw = this.#find(name);
		if (!raw) return [];
		const schema = memberOf(this.#schema, name);
		const read = this.#itemsOf(name, raw).map((item, index): Members<Item<T, N>> => {
			const path = `${this.nameOf(name)}[${index}]`;
			const { items = {} } = schema;
			return 'xml' in item ? Members.#ofXml(item.xml, path, items) : Members.#ofJson(item.json, path, items);
		});
		const problem = listProblem(schema, read.length);
		if (problem !== undefined) throw this.problem(name, problem);
		return read;
	}

	/**
	 * Returns a member that is true or false, or undefined if it is absent.
	 * @throws ServiceError if it is neither
	 */
	findBoolean(name: NamesOf<T, boolean>): boolean | undefined {
		const text = this.#text(name)?.toLowerCase();
		if (text === undefined) return undefined;
		if (text !== 'true' && text !== 'false') throw this.problem(name, 'expected true or false');
		return text === 'true';
	}

	findInteger(name: NamesOf<T, number>): number | undefined {
		const text = this.#text(name);
		if (text === undefined) return undefined;
		if (!/^-?\d{1,15}$/.test(text)) throw this.problem(name, 'expected a whole number');
		const problem = numberProblem(memberOf(this.#schema, name), Number(text));
		if (problem !== undefined) throw this.problem(name, problem.reason, problem.told);
		return Number(text);
	}

	/** Returns the error (a 400) for a member, with its name and what was expected, but never the value. */
	problem(name: string, expectation: string, why = told('value-malformed')): ServiceError {
		return badInput(this.nameOf(name), expectation, why);
	}

	nameOf(name: string): string {
		return this.path ? `${this.path}.${name}` : name;
	}

	/** The names of all members, in lower case. */
	get names(): readonly string[] {
		return [...this.#raw.keys()];
	}

	/**
	 * Adds a member. If the body has it twice, neither value is kept, because it is unclear which one was meant; reading
	 * the member is then an error.
	 */
	#put(name: string, raw: Raw): void {
		const key = name.toLowerCase();
		this.#raw.set(key, this.#raw.has(key) ? undefined : raw);
	}

	#find(name: string): Raw {
		const key = name.toLowerCase();
		const raw = this.#raw.get(key);
		if (raw === undefined && this.#raw.has(key)) throw this.problem(name, 'expected only once');
		return raw;
	}

	/**
	 * Returns a text after checking it against the schema. If the schema lists the possible values, the text gets the
	 * spelling that it has in this list.
	 */
	#text(name: string): string | undefined {
		const text = this.#uncheckedText(name);
		if (text === undefined) return undefined;
		const schema = memberOf(this.#schema, name);
		const problem = textProblem(schema, text);
		if (problem !== undefined) throw this.problem(name, problem);
		return spelled(schema, text);
	}

	#uncheckedText(name: string): string | undefined {
		const raw = this.#find(name);
		if (!raw) return undefined;
		const text = 'xml' in raw ? this.#textOfXml(name, raw.xml) : this.#textOfJson(name, raw.json);
		if (text.includes('\0')) throw this.problem(name, 'expected text without NUL characters');
		return text || undefined;
	}

	#findObject<P>(name: string): Members<P> | undefined {
		const raw = this.#find(name);
		if (!raw) return undefined;
		const path = this.nameOf(name);
		const schema = memberOf(this.#schema, name);
		if (!('xml' in raw)) return isAbsent(raw.json) ? undefined : Members.#ofJson<P>(raw.json, path, schema);
		const { children, attributes, text } = raw.xml;
		if (children.length > 0 || (attributes.size > 0 && text === '')) return Members.#ofXml<P>(raw.xml, path, schema);
		if (text !== '') throw this.problem(name, 'expected an object');
		return undefined;
	}

	#itemsOf(name: string, raw: NonNullable<Raw>): readonly NonNullable<Raw>[] {
		if ('xml' in raw) {
			if (raw.xml.text !== '') throw this.problem(name, 'expected a list');
			return raw.xml.children.map((xml) => ({ xml }));
		}
		if (isAbsent(raw.json)) return [];
		if (!Array.isArray(raw.json)) throw this.problem(name, 'expected a list');
		return raw.json.map((json) => ({ json }));
	}

	#textOfXml(name: string, { children, text }: XmlElement): string {
		if (children.length > 0) throw this.problem(name, 'expected a single value');
		return text;
	}

	#textOfJson(name: string, value: unknown): string {
		if (isAbsent(value)) return '';
		if (typeof value === 'object') throw this.problem(name, 'expected a single value');
		if (
			typeof value === 'number' &&
			(!Number.isFinite(value) || (Math.abs(value) >= 1e15 && !Number.isSafeInteger(value)))
		) {
			throw this.problem(name, 'a number of so many digits must be written as text');
		}
		return String(value);
	}
}

function isAbsent(value: unknown): boolean {
	// An empty text in JSON means that the member is absent, just as an empty element does in XML.
	return value === null || value === undefined || value === '';
}

// TypeScript types that allow each member of a body to be read only in the ways that fit its type in the schema.

type Name<T> = keyof T & string;

/** The names of the members whose values have a given type. */
type NamesOf<T, Value> = {
	[N in Name<T>]-?: Extract<NonNullable<T[N]>, Value> extends never ? never : N;
}[Name<T>];

/** The names of the members that may be absent. */
type Optional<T> = {
	[N in Name<T>]-?: Record<never, never> extends Pick<T, N> ? N : never;
}[Name<T>];

/** The type of a member that is a text. If the schema lists the possible values, the type is the union of these. */
type TextOf<T, N extends keyof T> = Extract<NonNullable<T[N]>, string>;

type Part<T, N extends keyof T> = Exclude<Extract<NonNullable<T[N]>, object>, readonly unknown[]>;

type Item<T, N extends keyof T> = NonNullable<T[N]> extends readonly (infer I)[] ? I : never;
