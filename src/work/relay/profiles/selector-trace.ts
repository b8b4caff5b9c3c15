// Shows how much of each selector of a profile matches a body, and where a path without a match fails.

import type { BodyFormat, Query } from '../selectors/body-format.ts';
import { FormFormat } from '../selectors/form/form.ts';
import { JsonFormat } from '../selectors/json/json.ts';
import { UnusableSelector } from '../selectors/problems.ts';
import { usualQuery, wholeExpiryQuery } from '../selectors/usual-names.ts';
import { XmlFormat } from '../selectors/xml/xml.ts';
import { inAnyNamespace, jsonPathSteps, xpathSteps } from './path-prefixes.ts';
import { CARD_PARTS, type CardPart, type CardSelector, type SelectorSource } from './profile.ts';

/** Tells how much of a body one selector from the `cards` of a profile matched. */
export interface SelectorTrace {
	/** The place of the selector in the profile, such as `/cards/0/container` or `/cards/0/number`. */
	readonly pointer: string;
	/** The number of places that the selector matched, in all containers together. */
	readonly matched: number;
	/** Explains why the selector finds nothing usable, for example which step of its path fails; null if all is well. */
	readonly remark: string | null;
}

/**
 * Tries the container of every card and, in each container that matches, the selectors of the parts of the card. The
 * result is empty for `text` bodies.
 * @throws ServiceError if the body cannot be read
 */
export function traceSelectors(
	{ body, cards, namespaces }: SelectorSource,
	bytes: Buffer,
	contentType?: string,
): SelectorTrace[] {
	switch (body) {
		case 'xml':
			return traceIn(new XmlFormat(namespaces), { cards, whole: '/', stepsOf: xpathSteps }, bytes, contentType);
		case 'json':
			return traceIn(new JsonFormat(), { cards, whole: '$', stepsOf: jsonPathSteps }, bytes, contentType);
		case 'form':
			return traceIn(new FormFormat(), { cards, whole: undefined, stepsOf: () => undefined }, bytes, contentType);
		case 'text':
			return [];
	}
}

interface Plan {
	readonly cards: readonly CardSelector[];
	readonly whole: string | undefined;
	stepsOf(expression: string): readonly string[] | undefined;
}

/** If the whole expression matches nothing, the beginnings show how far it matches. */
interface Trail<Body> {
	readonly pointer: string;
	readonly query: Query<Body>;
	/**
	 * The beginnings of the expression, from long to short. Each comes with the step that follows it in the expression,
	 * and with a query that looks for this step in any namespace.
	 */
	readonly prefixes: readonly Prefix<Body>[];
}

interface Prefix<Body> {
	readonly expression: string;
	readonly query: Query<Body>;
	readonly cutStep: string;
	readonly inAnyNamespace: Query<Body> | undefined;
}

function traceIn<Body>(format: BodyFormat<Body>, plan: Plan, bytes: Buffer, contentType?: string): SelectorTrace[] {
	// All expressions are compiled first, because a format must know each of them before it opens a body.
	const trails = plan.cards.map((card, index) => {
		const container = card.container ?? plan.whole;
		const trail = (name: string, expression: string) => trailOf(format, plan, `/cards/${index}/${name}`, expression);
		return {
			container: container === undefined ? undefined : trail('container', container),
			parts: CARD_PARTS.flatMap((part) => {
				const selector = card[part];
				if (selector !== undefined) return [trail(part, selector.path)];
				return card.names === undefined ? [] : [usualTrail(format, `/cards/${index}/${part}`, part)];
			}),
		};
	});
	const body = format.open(bytes, contentType);
	try {
		return trails.flatMap(({ container, parts }, index) => {
			const contexts = container === undefined ? [0] : container.query(body, 0);
			const isGiven = plan.cards[index].container !== undefined;
			const own = container !== undefined && isGiven ? [traceOf(format, body, container, [0])] : [];
			if (contexts.length === 0) return own;
			return [...own, ...parts.map((part) => traceOf(format, body, part, contexts))];
		});
	} finally {
		format.close(body);
	}
}

function trailOf<Body>(format: BodyFormat<Body>, plan: Plan, pointer: string, expression: string): Trail<Body> {
	const steps = plan.stepsOf(expression) ?? [];
	const prefixes: Prefix<Body>[] = [];
	for (let count = steps.length - 1; count >= 0; count--) {
		const prefix = steps.slice(0, count).join('');
		const query = count === 0 ? onlyContext : findQuery(format, prefix);
		if (query === undefined) continue;
		const relaxed = inAnyNamespace(steps[count]);
		const inAny = relaxed && plan.whole === '/' ? findQuery(format, prefix + relaxed) : undefined;
		prefixes.push({ expression: prefix, query, cutStep: steps[count], inAnyNamespace: inAny });
	}
	return { pointer, query: format.compile(expression), prefixes };
}

/**
 * Returns the `Trail` of a part that is found by the usual names of its field. It has no beginnings, because there is
 * no path that could be shortened.
 */
function usualTrail<Body>(format: BodyFormat<Body>, pointer: string, part: CardPart): Trail<Body> {
	const own = usualQuery(format, part);
	const whole = wholeExpiryQuery(format);
	const isDate = part === 'expiryMonth' || part === 'expiryYear';
	const query: Query<Body> = (body, context) => {
		const nodes = own(body, context);
		return nodes.length === 0 && isDate ? whole(body, context) : nodes;
	};
	return { pointer, query, prefixes: [] };
}

const onlyContext = (_: unknown, context: number) => [context];

/** Compiles a beginning of an expression. Returns undefined if this beginning is not a valid expression by itself. */
function findQuery<Body>(format: BodyFormat<Body>, expression: string): Query<Body> | undefined {
	try {
		return format.compile(expression);
	} catch (error) {
		if (error instanceof UnusableSelector) return undefined;
		throw error;
	}
}

function traceOf<Body>(
	format: BodyFormat<Body>,
	body: Body,
	{ pointer, query, prefixes }: Trail<Body>,
	contexts: readonly number[],
): SelectorTrace {
	const count = (asked: Query<Body>) => contexts.reduce((sum, context) => sum + asked(body, context).length, 0);
	const nodes = contexts.flatMap((context) => query(body, context));
	const matched = nodes.length;
	if (matched > 0) {
		const isContainer = pointer.endsWith('/container');
		const holdsText = isContainer || nodes.some((node) => format.findPlace(body, node) !== undefined);
		return { pointer, matched, remark: holdsText ? null : 'matches only nodes without text of their own' };
	}
	// The shortest beginning has no step and stands for the container itself, which always matches. So `furthest` is
	// undefined only if there are no beginnings at all, as for the names of form fields.
	const furthest = prefixes.find((prefix) => count(prefix.query) > 0);
	if (furthest === undefined) return { pointer, matched, remark: 'matches nothing' };
	const { expression, cutStep, inAnyNamespace: relaxed } = furthest;
	const isFirst = expression === '';
	const end = isFirst
		? `${cutStep} is not there`
		: `${expression} matches ${count(furthest.query)}, ${cutStep} after it matches nothing`;
	const elsewhere = relaxed === undefined ? 0 : count(relaxed);
	return { pointer, matched, remark: `matches nothing: ${end}${elsewhere > 0 ? inOtherNamespace(elsewhere) : ''}` };
}

const inOtherNamespace = (count: number) => `; in another namespace there ${count === 1 ? 'is 1' : `are ${count}`}`;
