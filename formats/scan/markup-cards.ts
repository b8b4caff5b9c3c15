// What the tags and texts of a markup file mean: which elements are cards, and where their fields stand.

import { FileError, type Findings } from '../../src/transfer/format.ts';
import { FIELD, type Field, type HeldCard } from './held-card.ts';
import { HeldCards, MAX_LEAD_BYTES, outgrown } from './held-cards.ts';
import { MAX_MARKUP_DEPTH, OpenElements } from './markup-elements.ts';
import { OpenField } from './markup-field.ts';
import { endsWith, isWithin, type MarkupPath, type MarkupSelectors } from './markup-selectors.ts';
import type { MarkupTag } from './markup-tag.ts';
import { countLineEnds } from './markup-text.ts';

/**
 * How far behind its first field a card without a container goes on: its parent may be the root of a file of any
 * size. Well below `MAX_HELD_BYTES`, so that it ends between two tags and never inside a value.
 */
const MAX_LOOSE_BYTES = 32_768;

const SIGNATURE_NOTICE = 'The file holds an XML signature, which does not hold until the numbers are back';
const SIGNED_INFO = Buffer.from('SignedInfo');

/** Whether a local name is that of the element every XML signature has. */
function isSignedInfo(bytes: Buffer, start: number, end: number): boolean {
	if (end - start !== SIGNED_INFO.length) return false;
	for (let i = 0; i < SIGNED_INFO.length; i++) if (bytes[start + i] !== SIGNED_INFO[i]) return false;
	return true;
}

/**
 * Card elements are held from their start tag to their end tag, since fields come in any order. A card without a
 * container is held from its first field on, and ends with its parent, with a field it already has, or after
 * `MAX_LOOSE_BYTES`; without a number it ends after `MAX_LEAD_BYTES`.
 */
export class MarkupCards {
	readonly elements = new OpenElements();
	readonly held = new HeldCards();
	readonly #selectors: MarkupSelectors;
	readonly #fields: OpenField[] = Array.from({ length: MAX_MARKUP_DEPTH + 2 }, () => new OpenField());
	#records = 0;

	constructor(selectors: MarkupSelectors) {
		this.#selectors = selectors;
	}

	/** A start tag at `at`, on line `line`. */
	open(bytes: Buffer, tag: MarkupTag, at: number, line: number, found: Findings): void {
		const { elements } = this;
		if (this.held.count > 0) this.#endLooseCards(bytes, at, found);
		if (elements.depth > 0) this.#fields[elements.depth].hasChild = true;
		const code = this.#selectors.elementNames.find(bytes, tag.localStart, tag.nameEnd);
		elements.push(bytes, tag.nameStart, tag.nameEnd, code);
		if (isSignedInfo(bytes, tag.localStart, tag.nameEnd)) found.notice(SIGNATURE_NOTICE);
		if (code !== 0) {
			this.#openContainers(code, at, line, found);
			this.#openField(bytes, code, at, line, found);
		}
		for (let i = 0; i < tag.attributeCount; i++) this.#attribute(bytes, tag, i, at, line, found);
	}

	#openContainers(code: number, at: number, line: number, found: Findings): void {
		const paths = this.#selectors.containers[code];
		if (paths === undefined) return;
		for (const path of paths) if (endsWith(this.elements, path)) this.#hold(path, this.elements.depth, at, line, found);
	}

	#hold(path: MarkupPath, depth: number, at: number, line: number, found: Findings): HeldCard {
		const card = this.held.open(at, line, this.#records, found);
		card.depth = depth;
		card.depthAtStart = this.elements.depth - 1;
		card.selector = path.selector;
		if (!path.isWithoutContainer) card.record = ++this.#records;
		return card;
	}

	#openField(bytes: Buffer, code: number, at: number, line: number, found: Findings): void {
		const paths = this.#selectors.elementFields[code];
		if (paths === undefined) return;
		for (const path of paths) {
			if (!endsWith(this.elements, path)) continue;
			let card = this.#findCard(path);
			// Cards that lie flat in one parent: a field that is already there begins the next one.
			if (card !== undefined && path.isWithoutContainer && (card.seen & (1 << path.field)) !== 0) {
				this.#release(bytes, card, found);
				card = undefined;
			}
			if (card === undefined && path.isWithoutContainer)
				card = this.#hold(path, this.#parentDepth(path), at, line, found);
			if (card === undefined) continue;
			card.seen |= 1 << path.field;
			this.#fields[this.elements.depth].begin(path.field, card);
			return;
		}
	}

	#attribute(bytes: Buffer, tag: MarkupTag, index: number, at: number, line: number, found: Findings): void {
		const [places, slot] = [tag.attributes, index * 4];
		const code = this.#selectors.attributeNames.find(bytes, places[slot], places[slot + 1]);
		if (code === 0) return;
		let start = places[slot + 2];
		let end = places[slot + 3];
		while (start < end && bytes[start] <= 0x20) start++;
		while (end > start && bytes[end - 1] <= 0x20) end--;
		if (start === end) return;
		for (const path of this.#selectors.attributeFields[code] ?? []) {
			if (!endsWith(this.elements, path)) continue;
			let card = this.#findCard(path);
			if (card === undefined && path.isWithoutContainer)
				card = this.#hold(path, this.#parentDepth(path), at, line, found);
			if (card === undefined) continue;
			card.seen |= 1 << path.field;
			const isNumber = path.field === FIELD.NUMBER;
			const valueLine = isNumber && tag.line !== line ? line + countLineEnds(bytes, at, start) : line;
			this.#note(card, path.field, start, end, valueLine, tag.isEscaped[index] === 1, found);
			return;
		}
	}

	/** The element that acts as container; a value that is the root itself is its own. */
	#parentDepth(path: MarkupPath): number {
		return Math.max(1, this.elements.depth - path.steps.length);
	}

	/** The open card a path belongs to: the nearest container of its selector, or the card its parent already is. */
	#findCard(path: MarkupPath): HeldCard | undefined {
		const parentDepth = path.isWithoutContainer ? this.#parentDepth(path) : 0;
		for (let i = this.held.count - 1; i >= 0; i--) {
			const card = this.held.items[i];
			if (card.selector !== path.selector) continue;
			if (path.isWithoutContainer ? card.depth === parentDepth : isWithin(this.elements, path, card)) return card;
			if (!path.isWithoutContainer) return undefined;
		}
		return undefined;
	}

	#note(
		card: HeldCard,
		field: Field,
		start: number,
		end: number,
		line: number,
		isEscaped: boolean,
		found: Findings,
	): void {
		if (field === FIELD.NUMBER) {
			// A card without a container counts once it has a number.
			if (card.record === 0) card.record = ++this.#records;
			card.addNumber(start, end, line, isEscaped, found);
		} else if (field === FIELD.CVV) card.addCvv(start, end, false, isEscaped);
		else card.addField(field, start, end, isEscaped);
	}

	/** The field whose text comes now, null when nobody asks for it. */
	textField(): OpenField | null {
		const field = this.#fields[this.elements.depth];
		return field.field === FIELD.NONE ? null : field;
	}

	/** The innermost element closes. */
	close(bytes: Buffer, found: Findings): void {
		const { depth } = this.elements;
		const field = this.#fields[depth];
		if (field.field !== FIELD.NONE) this.#closeField(field, found);
		for (let i = this.held.count - 1; i >= 0; i--) {
			const card = this.held.items[i];
			if (card.depth !== depth) {
				// What lies below an open container is still further out.
				if (this.#selectors.isWithoutContainer[card.selector]) continue;
				break;
			}
			card.settle(bytes, found, this.#selectors.reading);
			this.held.remove(i);
		}
		this.elements.depth--;
	}

	#closeField(open: OpenField, found: Findings): void {
		const { field, card, hasChild } = open;
		open.field = FIELD.NONE;
		if (!open.finish() || card === null) return;
		if (hasChild) {
			if (field !== FIELD.NUMBER && field !== FIELD.CVV) return;
			const name = this.elements.nameAt(this.elements.depth);
			throw new FileError(`the element ${name} holds both text and elements; expected a value`, {
				offset: open.start,
				line: open.line,
				record: card.record,
				field: name,
			});
		}
		this.#note(card, field, open.start, open.end, open.line, open.isEscaped, found);
	}

	/** Between tags: a card without a container that began long ago is complete. */
	#endLooseCards(bytes: Buffer, at: number, found: Findings): void {
		for (;;) {
			const card = this.held.items[0];
			if (this.held.count === 0) return;
			if (at - card.start <= (card.numberCount > 0 ? MAX_LOOSE_BYTES : MAX_LEAD_BYTES)) return;
			if (!this.#selectors.isWithoutContainer[card.selector] || this.#hasOpenField(card)) return;
			this.#release(bytes, card, found);
		}
	}

	#hasOpenField(card: HeldCard): boolean {
		for (let depth = 1; depth <= this.elements.depth; depth++) {
			if (this.#fields[depth].field !== FIELD.NONE && this.#fields[depth].card === card) return true;
		}
		return false;
	}

	#release(bytes: Buffer, card: HeldCard, found: Findings): void {
		for (let depth = 1; depth <= this.elements.depth; depth++) {
			if (this.#fields[depth].card === card) this.#fields[depth].field = FIELD.NONE;
		}
		card.settle(bytes, found, this.#selectors.reading);
		this.held.remove(this.held.items.indexOf(card));
	}

	/** The outermost card does not end within the limit. */
	dropOutgrown(bytes: Buffer, found: Findings): void {
		const card = this.held.items[0];
		const name = this.elements.nameAt(card.depth);
		const isLoose = this.#selectors.isWithoutContainer[card.selector];
		if (!isLoose || this.#hasOpenField(card)) throw outgrown(card, `the element ${name}`, name);
		this.#release(bytes, card, found);
	}

	/** Back to where the outermost open card begins: it comes again with the next window. */
	rollBack(found: Findings): HeldCard {
		const card = this.held.items[0];
		for (let depth = card.depthAtStart + 1; depth <= this.elements.depth; depth++) {
			this.#fields[depth].field = FIELD.NONE;
		}
		this.held.count = 0;
		this.elements.depth = card.depthAtStart;
		this.#records = card.recordsBefore;
		found.truncate(card.foundBefore);
		return card;
	}
}
