// The members of a body by their names on the wire, without regard to case (shapes, opening). Whether they came as JSON or
// as XML is not the concern of whoever asks; what nobody asks for is never looked at.

import { ServiceError } from '../../errors.ts';
import type { RequestBody } from './request-body.ts';
import type { XmlElement } from './xml-reader.ts';

/** A member as it came: a JSON value, an XML element, or undefined for one that is there more than once. */
type Raw = { readonly json: unknown } | { readonly xml: XmlElement } | undefined;

/** One object of a body. `path` names it in error texts. */
export class Members {
	readonly path: string;
	readonly #raw = new Map<string, Raw>();

	private constructor(path: string) {
		this.path = path;
	}

	/** The body as an object; in XML, what stands inside the root, whose name must be `rootName`. */
	static of(body: RequestBody | undefined, rootName: string): Members {
		if (!body) throw new ServiceError('bad-input-data', { field: 'body', problem: 'expected JSON or XML' });
		if (body.format === 'json') return Members.ofJson(body.value, '');
		if (body.root.name.toLowerCase() !== rootName.toLowerCase()) {
			throw new ServiceError('message-malformed', { moreInfo: `element ${rootName} expected as root` });
		}
		return Members.ofXml(body.root, '');
	}

	static ofJson(value: unknown, path: string): Members {
		if (typeof value !== 'object' || value === null || Array.isArray(value)) {
			throw new ServiceError('bad-input-data', { field: path || 'body', problem: 'expected an object' });
		}
		const members = new Members(path);
		for (const [name, json] of Object.entries(value)) members.#put(name, { json });
		return members;
	}

	static ofXml(element: XmlElement, path: string): Members {
		const members = new Members(path);
		for (const [name, json] of element.attributes) members.#put(`@${name}`, { json });
		for (const xml of element.children) members.#put(xml.name, { xml });
		return members;
	}

	/** Whether a member is there and not null. */
	has(name: string): boolean {
		if (!this.#raw.has(name.toLowerCase())) return false;
		const raw = this.#raw.get(name.toLowerCase());
		return raw === undefined || 'xml' in raw || (raw.json !== null && raw.json !== undefined);
	}

	/** A text member; numbers and booleans count as their text. Undefined when absent, null or empty. */
	findText(name: string): string | undefined {
		const raw = this.#find(name);
		if (!raw) return undefined;
		const text = 'xml' in raw ? this.#textOfXml(name, raw.xml) : this.#textOfJson(name, raw.json);
		if (text.includes('\0')) throw this.problem(name, 'expected text without NUL characters');
		return text || undefined;
	}

	/** @throws ServiceError when absent. */
	getText(name: string): string {
		const text = this.findText(name);
		if (text === undefined) throw this.problem(name, 'is required');
		return text;
	}

	/** Text of the caller's own, to be given back as it came: in XML with the blanks around it. @throws ServiceError */
	getVerbatim(name: string): string {
		const raw = this.#find(name);
		if (!raw || !('xml' in raw) || raw.xml.children.length > 0 || raw.xml.verbatim === '') return this.getText(name);
		return raw.xml.verbatim;
	}

	/** An object member. Undefined when absent or null, in XML also when empty. */
	findObject(name: string): Members | undefined {
		const raw = this.#find(name);
		if (!raw) return undefined;
		const path = this.nameOf(name);
		if (!('xml' in raw)) return isAbsent(raw.json) ? undefined : Members.ofJson(raw.json, path);
		const { children, attributes, text } = raw.xml;
		if (children.length > 0 || (attributes.size > 0 && text === '')) return Members.ofXml(raw.xml, path);
		if (text !== '') throw this.problem(name, 'expected an object');
		return undefined;
	}

	/** The items of a list; in XML the children of the member's element. Empty when absent. */
	list(name: string): readonly Members[] {
		const raw = this.#find(name);
		if (!raw) return [];
		const path = (index: number) => `${this.nameOf(name)}[${index}]`;
		if ('xml' in raw) {
			if (raw.xml.text !== '') throw this.problem(name, 'expected a list');
			return raw.xml.children.map((child, index) => Members.ofXml(child, path(index)));
		}
		if (isAbsent(raw.json)) return [];
		if (!Array.isArray(raw.json)) throw this.problem(name, 'expected a list');
		return raw.json.map((each, index) => Members.ofJson(each, path(index)));
	}

	/** `true` or `false`; undefined when absent. */
	findBoolean(name: string): boolean | undefined {
		const text = this.findText(name)?.toLowerCase();
		if (text === undefined) return undefined;
		if (text !== 'true' && text !== 'false') throw this.problem(name, 'expected true or false');
		return text === 'true';
	}

	findInteger(name: string): number | undefined {
		const text = this.findText(name);
		if (text === undefined) return undefined;
		if (!/^-?\d{1,15}$/.test(text)) throw this.problem(name, 'expected a whole number');
		return Number(text);
	}

	/** A 400 that names the member and what was expected; never its content. */
	problem(name: string, expectation: string): ServiceError {
		return new ServiceError('bad-input-data', { field: this.nameOf(name), problem: expectation });
	}

	nameOf(name: string): string {
		return this.path ? `${this.path}.${name}` : name;
	}

	/** Names of all members, in lower case. */
	get names(): readonly string[] {
		return [...this.#raw.keys()];
	}

	/** Which of two would count is for nobody to guess, so a repeated member is an error once it is asked for. */
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
	// As an empty element in XML, so an empty text in JSON.
	return value === null || value === undefined || value === '';
}
