import { PART } from '../card/card-parts.ts';
import type { CardReader, Outcome } from '../card/read-card.ts';
import type { CardValues } from './selectors/parts.ts';

/** Reads and judges the card whose texts were found in a body. Calls and trials of a profile read cards in this way. */
export function readValues(reader: CardReader, values: CardValues): Outcome {
	const { parts } = reader;
	parts.begin();
	parts.put(PART.number, values.number);
	parts.put(PART.month, values.expiryMonth);
	parts.put(PART.year, values.expiryYear);
	parts.put(PART.cvv, values.securityCode);
	parts.put(PART.type, values.type);
	parts.put(PART.name, values.nameOnCard?.trim());
	return reader.read();
}
