// Finds cards in bodies by the selectors of a profile, and puts cards into them (spec §2.5, shapes §4). A body is never
// written anew: selected values are replaced where they are, and every other byte stays as it was.

import { told } from '../../../base/failures.ts';
import { Edits } from '../../../engine/splice.ts';
import {
	CARD_PARTS,
	type CardPart,
	type CardSelector,
	type PartSelector,
	type SelectorSource,
} from '../profiles/profile.ts';
import type { BodyFormat, Query } from './body-format.ts';
import { type FilledBytes, fillUnits, type OutgoingCard } from './fill.ts';
import { FormFormat } from './form/form.ts';
import { JsonFormat } from './json/json.ts';
import { type LocatedBody, LocatedCard } from './located-card.ts';
import { refusal, type SelectorProblem, SelectorProblems, UnusableSelector } from './problems.ts';
import { fillTextBody } from './text.ts';
import { type CompiledCard, type CompiledPart, findPlaces, findUnits, type Unit } from './units.ts';
import { usualQuery, wholeExpiryQuery } from './usual-names.ts';
import { XmlFormat } from './xml/xml.ts';

export { type CodePlaces, writeCodes } from './code-places.ts';
export type { FilledBytes, OutgoingCard } from './fill.ts';
export type { LocatedBody, LocatedCard, StarrableCode } from './located-card.ts';

export interface Selectors {
	/** True if reading even a small body may take long. */
	readonly isHeavy: boolean;
	/**
	 * Returns the places for cards, in document order.
	 * @throws ServiceError if the body cannot be read in its format, or if it is a `text` body, which cannot be searched
	 */
	locate(body: Buffer, contentType?: string): LocatedCard[];
	/**
	 * Returns the same places as `locate`, and those of CVVs that belong to no number, because tokenizing has to examine
	 * them too.
	 * @throws as `locate`
	 */
	search(body: Buffer, contentType?: string): LocatedBody;
	/**
	 * Returns the body with cards in their places. A single card goes into every place. Of several cards, the i-th goes
	 * into the i-th container if there are as many containers as cards, otherwise into the i-th place of a number. If a
	 * card lacks a part, the place of that part becomes empty.
	 * @throws ServiceError if nothing matches, the counts differ, or the body cannot be read
	 */
	fill(body: Buffer, cards: readonly OutgoingCard[], contentType?: string): Buffer;
	/**
	 * Fills a body as `fill` does, and tells where CVVs can still be written afterwards.
	 * @throws as `fill`, and also if the body has too many places for a CVV
	 */
	fillBeforeCodes(body: Buffer, cards: readonly OutgoingCard[], contentType?: string): FilledBytes;
	/**
	 * Returns the offset of every selected part of a card, in bytes from the start of the body.
	 * @throws as `locate`
	 */
	places(body: Buffer, contentType?: string): number[];
	/**
	 * Returns the byte ranges to which cards are written, in document order, with the parts of a card that belong there.
	 * @throws as `locate`
	 */
	spans(body: Buffer, contentType?: string): Span[];
}

/**
 * Describes a byte range of a body to which a card is written: the ordinal of the card, from 1, and the parts of the
 * card that are written there.
 */
export interface Span {
	readonly start: number;
	readonly end: number;
	readonly card: number;
	readonly parts: readonly CardPart[];
}

const MAX_EXPRESSION_LENGTH = 500;

/** @throws SelectorProblems with all their problems */
export function compileSelectors(profile: SelectorSource): Selectors {
	switch (profile.body) {
		case 'xml':
			return compileFor(new XmlFormat(profile.namespaces), profile.cards, '/');
		case 'json':
			return compileFor(new JsonFormat(), profile.cards, '$');
		case 'form':
			return compileFor(new FormFormat(), profile.cards, undefined);
		case 'text':
			return textSelectors;
	}
}

const textSelectors: Selectors = {
	isHeavy: false,
	locate: unsearchable,
	search: unsearchable,
	fill: (body, cards, contentType) => fillTextBody(body, cards, contentType).bytes,
	fillBeforeCodes: fillTextBody,
	places: () => [],
	spans: () => [],
};

function unsearchable(): never {
	throw refusal('a profile for text bodies has placeholders for cards; it cannot find any');
}

function compileFor<Body>(
	format: BodyFormat<Body>,
	cards: readonly CardSelector[],
	whole: string | undefined,
): Selectors {
	const compiled = compileCards(format, cards, whole);
	const opening = <Found>(body: Buffer, contentType: string | undefined, find: (opened: Body) => Found): Found => {
		const opened = format.open(body, contentType);
		try {
			return find(opened);
		} finally {
			format.close(opened);
		}
	};
	const unitsOf = (body: Buffer, contentType: string | undefined) =>
		opening(body, contentType, (opened) => findUnits(format, opened, compiled));
	return {
		isHeavy: format.usesLibrary === true,
		locate: (body, contentType) => unitsOf(body, contentType).map((unit) => new LocatedCard(unit)),
		search(body, contentType) {
			const found = opening(body, contentType, (opened) => findPlaces(format, opened, compiled));
			return { cards: found.units.map((unit) => new LocatedCard(unit)), looseCodes: found.looseCodes };
		},
		fill: (body, cardsOut, contentType) => fillUnits(body, unitsOf(body, contentType), cardsOut).bytes,
		fillBeforeCodes: (body, cardsOut, contentType) => fillUnits(body, unitsOf(body, contentType), cardsOut),
		places: (body, contentType) =>
			unitsOf(body, contentType).flatMap(({ slots, shared }) => [...slots, ...shared].map(({ place }) => place.start)),
		spans: (body, contentType) =>
			unitsOf(body, contentType)
				.flatMap(spansOf)
				.sort((a, b) => a.start - b.start),
	};
}

/**
 * Returns the byte ranges of one card's places. The range of a place is only known from an edit, so each place records
 * a dummy edit.
 */
function spansOf({ slots }: Unit, index: number): Span[] {
	return slots.map(({ place, parts }) => {
		const edits = new Edits();
		place.write(edits, '0', true);
		const range =
			edits.count > 0 ? { start: edits.starts[0], end: edits.ends[0] } : { start: place.start, end: place.start };
		return { ...range, card: index + 1, parts: parts.map(({ part }) => part) };
	});
}

function compileCards<Body>(
	format: BodyFormat<Body>,
	cards: readonly CardSelector[],
	whole: string | undefined,
): CompiledCard<Body>[] {
	const problems: SelectorProblem[] = [];
	const compile = (expression: string, pointer: string): Query<Body> => {
		try {
			if (expression.length > MAX_EXPRESSION_LENGTH) {
				throw new UnusableSelector(`expected at most ${MAX_EXPRESSION_LENGTH} characters`);
			}
			return format.compile(expression);
		} catch (error) {
			if (!(error instanceof UnusableSelector)) throw error;
			problems.push({ pointer, message: error.message, told: told('path-malformed') });
			return () => [];
		}
	};
	const compiled = cards.map((card, index) => {
		const given = compileParts(card, `/cards/${index}`, compile, problems);
		const parts = card.names === 'usual' ? withUsualNames(format, given) : given;
		const container = card.container ?? whole;
		if (whole === undefined && card.container !== undefined) {
			const message = 'a form has one container: the form';
			problems.push({ pointer: `/cards/${index}/container`, message, told: told('member-unfit') });
		}
		return {
			container: container === undefined ? wholeForm : compile(container, `/cards/${index}/container`),
			number: parts[0],
			others: parts.slice(1),
		};
	});
	if (problems.length > 0) throw new SelectorProblems(problems);
	return compiled;
}

const wholeForm = () => [0];

function compileParts<Body>(
	card: CardSelector,
	pointer: string,
	compile: (expression: string, pointer: string) => Query<Body>,
	problems: SelectorProblem[],
): CompiledPart<Body>[] {
	const used: { part: CardPart; selector: PartSelector }[] = [];
	return CARD_PARTS.flatMap((part) => {
		const selector = card[part];
		if (selector === undefined) return [];
		const other = used.find((each) => each.selector.path === selector.path && isShared(each.selector, selector));
		if (other !== undefined) {
			const isParted = other.selector.substring !== undefined && selector.substring !== undefined;
			const message = isParted
				? `the characters overlap those of ${other.part}`
				: `the path is that of ${other.part}; parts that share a place need a substring each`;
			const at = `${pointer}/${part}/${isParted ? 'substring' : 'path'}`;
			problems.push({ pointer: at, message, told: told('paths-collide', { part: other.part }) });
		}
		used.push({ part, selector });
		return [{ part, selector, query: compile(selector.path, `${pointer}/${part}/path`) }];
	});
}

/**
 * Returns the selectors for all parts of a card: those that the profile gives, and for the other parts selectors that
 * use the usual names of card fields.
 */
function withUsualNames<Body>(format: BodyFormat<Body>, given: readonly CompiledPart<Body>[]): CompiledPart<Body>[] {
	return CARD_PARTS.map((part) => {
		const isDate = part === 'expiryMonth' || part === 'expiryYear';
		return (
			given.find((each) => each.part === part) ?? {
				part,
				selector: { path: USUAL_NAMES },
				query: usualQuery(format, part),
				...(isDate && { whole: wholeExpiryQuery(format) }),
			}
		);
	});
}

/** Stands for a path in the selector of a part that is found by the usual names of card fields. */
const USUAL_NAMES = '(usual names)';

/** Tells whether two parts of the same text share characters, so that writing one would overwrite the other. */
function isShared({ substring: one }: PartSelector, { substring: other }: PartSelector): boolean {
	if (one === undefined || other === undefined) return true;
	return one[0] < other[0] + other[1] && other[0] < one[0] + one[1];
}
