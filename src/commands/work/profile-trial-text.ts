import { table } from '../../installation/frame/output.ts';
import type { ProfileDirection } from '../../work/relay/profiles/profile.ts';
import type { Trial, TriedCard } from '../../work/relay/profiles/profile-trial.ts';

/**
 * Describes the trial of a profile for people: the cards, the selectors without a match, and unused fields that look
 * like card fields.
 */
export function trialText({ cards, placeholders, selectors, unused }: Trial, direction: ProfileDirection): string {
	if (placeholders.length > 0) {
		const rows = placeholders.map(({ line, offset, placeholder }) => [line, offset, `{{${placeholder}}}`]);
		const raw = placeholders.filter(({ isRaw }) => isRaw).map(({ offset }) => offset);
		const remark = `The content type has no rule for names, so nameOnCard goes out as it is: offset ${raw.join(', ')}`;
		return [table(['line', 'offset', 'placeholder'], rows), ...(raw.length > 0 ? ['', remark] : [])].join('\n');
	}
	const headings = ['line', 'offset', 'number', 'brand', 'Luhn', 'expiry', 'name', 'CVV', 'type', 'verdict'];
	const found =
		cards.length === 0
			? 'No card is found.'
			: table(
					headings,
					cards.map((card) => rowOf(card, direction)),
				);
	const remarks = selectors
		.filter(({ remark }) => remark !== null)
		.map(({ pointer, remark }) => `${pointer}: ${remark}`);
	const rest = unused.map(({ line, offset, name, looksLike, by }) => [line, offset, name, looksLike, by]);
	const left =
		unused.length === 0 ? [] : ['', 'Not used:', table(['line', 'offset', 'name', 'looks like', 'by'], rest)];
	return [found, ...(remarks.length > 0 ? ['', ...remarks] : []), ...left].join('\n');
}

function rowOf(card: TriedCard, direction: ProfileDirection) {
	const { line, offset, content, number, brand, passesLuhn, expiry, parts } = card;
	const yesNo = (isSo: boolean) => (isSo ? 'yes' : 'no');
	return [
		...[line, offset, number ?? `(${content})`, brand, passesLuhn === null ? null : yesNo(passesLuhn), expiry],
		...[yesNo(parts.includes('nameOnCard')), yesNo(parts.includes('securityCode')), yesNo(parts.includes('type'))],
		direction === 'replace' ? 'replaced' : verdictOf(card),
	];
}

function verdictOf({ content, refusal, warnings }: TriedCard): string {
	return refusal ?? (content === 'number' ? ['tokenized', ...warnings].join('; ') : 'left as it is');
}
