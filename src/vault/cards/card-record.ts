import type { CardTypeIndex } from '../../base/card/brand.ts';
import { PART } from '../../base/card/card-parts.ts';
import { EXPIRY_ABSENT } from '../../base/card/expiry.ts';
import type { CardReading } from '../../base/card/read-card.ts';
import type { Shape } from '../../base/card/shape.ts';
import type { RecordFields } from '../pages/record-codec.ts';

/**
 * The record of a card that was read. Its bytes are those of the reading, so it is valid until the next card is read;
 * the object is reused then.
 */
export class CardRecord implements RecordFields {
	readonly kind = 'card';
	shape: Shape = 'plain';
	expiry = EXPIRY_ABSENT;
	type: CardTypeIndex = 0;
	digits: Uint8Array = Buffer.alloc(0);
	digitCount = 0;
	spelling: Uint8Array | null = null;
	name: Uint8Array | null = null;
	issueNumber: Uint8Array | null = null;
	owner: Uint8Array | null = null;
	virtual: Uint8Array | null = null;

	/** Takes over the card that the reading has accepted. */
	fill(reading: CardReading): this {
		this.expiry = reading.expiry;
		this.type = reading.type;
		this.digits = reading.number.digits;
		this.digitCount = reading.number.count;
		this.name = reading.text(PART.name);
		this.issueNumber = reading.text(PART.issueNumber);
		this.owner = reading.text(PART.owner);
		return this;
	}

	/** Forgets the texts, which point into the bytes of a file or body. */
	forget(): void {
		this.spelling = this.name = this.issueNumber = this.owner = this.virtual = null;
	}
}
