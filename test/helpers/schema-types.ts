// Writes JSON Schemas as types of TypeScript.

export type Schema = boolean | Readonly<Record<string, unknown>>;

export interface Member {
	readonly name: string;
	readonly type: string;
	readonly isOptional?: boolean;
	readonly comment?: string;
}

/** Writes schemas of JSON Schema 2020-12 and of typebox as types. */
export class SchemaTypes {
	/** The types of schemas with an `$id`, by their names. Such a schema can contain itself. */
	readonly #named = new Map<string, string>();

	named(): string[] {
		return [...this.#named].sort().map(([name, type]) => `type ${name} = ${type};\n`);
	}

	write(schema: Schema, depth: number): string {
		if (schema === true) return 'unknown';
		if (schema === false) return 'never';
		const id = schema.$id;
		if (typeof id !== 'string') return this.#written(schema, depth);
		const name = nameOf(id);
		if (!this.#named.has(name)) {
			// The name is known before the type is written, so that the schema can refer to itself by it.
			this.#named.set(name, 'unknown');
			this.#named.set(name, this.#written(schema, 0));
		}
		return name;
	}

	#written(schema: Readonly<Record<string, unknown>>, depth: number): string {
		if (typeof schema.$ref === 'string') return reference(schema.$ref);
		if ('const' in schema) return literal(schema.const);
		if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
		const parts: string[] = [];
		for (const keyword of ['anyOf', 'oneOf'] as const) {
			const each = schema[keyword] as readonly Schema[] | undefined;
			if (each) parts.push(union(each.map((one) => this.write(one, depth))));
		}
		for (const one of (schema.allOf ?? []) as readonly Schema[]) parts.push(this.write(one, depth));
		const own = this.#own(schema, depth);
		// That a value is an object says nothing more, if the parts say what kind of object it is.
		if (own !== 'unknown' && (parts.length === 0 || own !== 'Record<string, unknown>')) parts.push(own);
		return intersection(parts.filter((part) => part !== 'unknown'));
	}

	/** Writes what the schema says itself, apart from the schemas that it is made of. */
	#own(schema: Readonly<Record<string, unknown>>, depth: number): string {
		if (isNever(schema.not)) return 'never';
		const kinds = [schema.type ?? impliedType(schema)].flat();
		return union(kinds.map((kind) => this.#ofKind(kind, schema, depth)));
	}

	#ofKind(kind: unknown, schema: Readonly<Record<string, unknown>>, depth: number): string {
		switch (kind) {
			case undefined:
				return 'unknown';
			case 'string':
				return 'string';
			case 'integer':
			case 'number':
				return 'number';
			case 'boolean':
				return 'boolean';
			case 'null':
				return 'null';
			case 'array':
				return this.#list(schema, depth);
			case 'object':
				return this.#object(schema, depth);
			default:
				throw new Error(`a schema has the type ${JSON.stringify(kind)}, which JSON Schema does not have`);
		}
	}

	#list({ items, prefixItems, maxItems }: Readonly<Record<string, unknown>>, depth: number): string {
		// A list of schemas as `items` is how drafts before 2020-12, and typebox, write a tuple.
		const places = (prefixItems ?? (Array.isArray(items) ? items : undefined)) as readonly Schema[] | undefined;
		if (places) return `[${places.map((each) => this.write(each, depth)).join(', ')}]`;
		if (maxItems === 0) return '[]';
		return `(${this.write((items ?? true) as Schema, depth)})[]`;
	}

	#object(schema: Readonly<Record<string, unknown>>, depth: number): string {
		const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema;
		const members = Object.entries(properties as Record<string, Schema>).map(
			([name, each]): Member => ({
				...{ name, type: this.write(each, depth + 1), isOptional: !(required as string[]).includes(name) },
				comment: typeof each === 'object' ? (each.description as string | undefined) : undefined,
			}),
		);
		const others = Object.values(patternProperties as Record<string, Schema>).map((each) =>
			this.write(each, depth + 1),
		);
		if (typeof additionalProperties === 'object') others.push(this.write(additionalProperties as Schema, depth + 1));
		const open = members.length === 0 && others.length === 0 && additionalProperties !== false ? ['unknown'] : others;
		const rest = open.length > 0 ? [`Record<string, ${union(open)}>`] : [];
		return intersection([...(members.length > 0 || rest.length === 0 ? [block(members, depth)] : []), ...rest]);
	}
}

function impliedType({ properties, items, prefixItems }: Readonly<Record<string, unknown>>): string | undefined {
	if (properties) return 'object';
	return items || prefixItems ? 'array' : undefined;
}

function isNever(not: unknown): boolean {
	return not === true || (typeof not === 'object' && not !== null && Object.keys(not).length === 0);
}

function reference($ref: string): string {
	const found = /^#\/components\/(schemas|responses)\/(.+)$/.exec($ref);
	if (!found) return nameOf($ref);
	return `${found[1] === 'schemas' ? 'Schemas' : 'Responses'}[${quoted(found[2])}]`;
}

function nameOf(id: string): string {
	const words = id.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
	return `Named${words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')}`;
}

function literal(value: unknown): string {
	return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

function union(types: readonly string[]): string {
	if (types.includes('unknown')) return 'unknown';
	const distinct = [...new Set(types)].filter((type) => type !== 'never');
	if (distinct.length < 2) return distinct[0] ?? 'never';
	return distinct.map((type) => grouped(type, ' & ')).join(' | ');
}

function intersection(types: readonly string[]): string {
	const distinct = [...new Set(types)];
	if (distinct.length < 2) return distinct[0] ?? 'unknown';
	return distinct.map((type) => grouped(type, ' | ')).join(' & ');
}

function grouped(type: string, by: string): string {
	return type.includes(by) ? `(${type})` : type;
}

/** Writes an object type, whose closing brace is indented by `depth`. */
export function block(members: readonly Member[], depth: number): string {
	if (members.length === 0) return 'Record<string, never>';
	const indent = '\t'.repeat(depth + 1);
	const lines = members.map(({ name, type, isOptional, comment }) => {
		const text =
			comment === undefined ? '' : `${indent}/** ${comment.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`;
		const key = /^([A-Za-z_$][\w$]*|\d+)$/.test(name) ? name : quoted(name);
		return `${text}${indent}${key}${isOptional ? '?' : ''}: ${type};\n`;
	});
	return `{\n${lines.join('')}${'\t'.repeat(depth)}}`;
}

export function quoted(text: string): string {
	return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
