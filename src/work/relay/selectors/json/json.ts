import parseJsonPath from 'jsonpath-rfc9535/parser';
import type { BodyFormat, NamedNode, Query } from '../body-format.ts';
import { findCharset, UTF_8 } from '../charset.ts';
import { KnownNames } from '../known-names.ts';
import { UnusableSelector } from '../problems.ts';
import { checkJsonPath } from './jsonpath-check.ts';
import { libraryQuery } from './jsonpath-library.ts';
import { namedJson } from './names.ts';
import { findJsonPlace } from './place.ts';
import { JsonScan } from './scan.ts';
import { findJsonSteps, followJsonSteps } from './steps.ts';
import type { JsonTape } from './tape.ts';

/** Selects from JSON bodies by JSONPath (RFC 9535); inside a container `$` is the container. */
export class JsonFormat implements BodyFormat<JsonTape> {
	readonly #names = new KnownNames();
	#scan: JsonScan | undefined;
	usesLibrary = false;

	compile(expression: string): Query<JsonTape> {
		let query: ReturnType<typeof parseJsonPath>;
		try {
			query = parseJsonPath(expression);
		} catch (cause) {
			throw new UnusableSelector('expected a JSONPath (RFC 9535) that begins with "$"', { cause });
		}
		const steps = findJsonSteps(query, this.#names);
		if (steps !== undefined) return (tape, context) => followJsonSteps(tape, steps, context);
		checkJsonPath(query);
		this.usesLibrary = true;
		return libraryQuery(expression);
	}

	open(bytes: Buffer, contentType: string | undefined): JsonTape {
		this.#scan ??= new JsonScan(this.#names);
		try {
			return this.#scan.scan(bytes, findCharset(contentType) ?? UTF_8);
		} catch (error) {
			this.#scan.tape.end();
			throw error;
		}
	}

	close(tape: JsonTape): void {
		tape.end();
	}

	named(tape: JsonTape, context: number, isDeep: boolean): NamedNode[] {
		return namedJson(tape, context, isDeep);
	}

	findPlace(tape: JsonTape, node: number) {
		return findJsonPlace(tape, node);
	}
}
