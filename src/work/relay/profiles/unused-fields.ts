// Finds values in a body that look like card data but that no selector of the profile finds. It never reports the
// values themselves.

import { shownName } from '../../../../formats/scan/shown-name.ts';
import { NumberPlaces } from '../../../base/card/finder/number-places.ts';
import { OtherNumbers } from '../../../base/card/finder/other-numbers.ts';
import type { CardField } from '../../../base/card/names/field-names.ts';
import type { BodyFormat } from '../selectors/body-format.ts';
import { FormFormat } from '../selectors/form/form.ts';
import { JsonFormat } from '../selectors/json/json.ts';
import { compileSelectors } from '../selectors/selectors.ts';
import { meaningOf } from '../selectors/usual-names.ts';
import { XmlFormat } from '../selectors/xml/xml.ts';
import type { SelectorSource } from './profile.ts';

/** Describes a value in a body that looks like card data but that no selector finds. */
export interface UnusedField {
	/** The name of the field, member, element or attribute; if it has many digits they are masked. */
	readonly name: string;
	readonly looksLike: CardField;
	/** Tells why the value looks like a card field: by its name, or because it is a card number. */
	readonly by: 'name' | 'content';
	/** The offset in bytes from the start of the body. */
	readonly offset: number;
}

/** At most this many places are reported for one body. */
const MAX_FIELDS = 100;

/**
 * Returns every value that looks like card data but that no selector finds. The list is empty for `text` bodies.
 * @throws ServiceError if the body cannot be read
 */
export function findUnusedFields(profile: SelectorSource, bytes: Buffer, contentType?: string): UnusedField[] {
	if (profile.body === 'text') return [];
	const used = new Set(compileSelectors(profile).places(bytes, contentType));
	switch (profile.body) {
		case 'xml':
			return unusedIn(new XmlFormat(profile.namespaces), used, bytes, contentType);
		case 'json':
			return unusedIn(new JsonFormat(), used, bytes, contentType);
		case 'form':
			return unusedIn(new FormFormat(), used, bytes, contentType);
	}
}

function unusedIn<Body>(
	format: BodyFormat<Body>,
	used: ReadonlySet<number>,
	bytes: Buffer,
	contentType: string | undefined,
): UnusedField[] {
	const body = format.open(bytes, contentType);
	const numbers = new OtherNumbers();
	const places = new NumberPlaces();
	const found: UnusedField[] = [];
	try {
		for (const { name, node } of format.named(body, 0, true)) {
			const place = format.findPlace(body, node);
			if (place === undefined || used.has(place.start)) continue;
			const text = Buffer.from(place.read());
			places.clear();
			numbers.find(text, 0, text.length, places);
			const isEmpty = text.toString().trim() === '';
			text.fill(0);
			const meaning = isEmpty ? undefined : meaningOf(name);
			const by = places.count > 0 ? 'content' : 'name';
			if (by === 'name' && !meaning?.isSure) continue;
			const looksLike = by === 'content' ? 'number' : meaning!.field;
			found.push({ name: shownName(name), looksLike, by, offset: place.start });
			if (found.length === MAX_FIELDS) break;
		}
	} finally {
		numbers.wipe();
		format.close(body);
	}
	return found;
}
