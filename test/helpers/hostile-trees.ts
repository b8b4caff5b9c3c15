// Generates JSON and XML with cards at any depth, spelled in any way that the grammars allow.

import fc from 'fast-check';
import { cardType, cvv, expiry, latin1, month, number, otherText, year } from './hostile-values.ts';

/**
 * A file has codes or stars of its own. If a card has both, in elements around and within it, both are stars in the end, and
 * nothing tells which ones were the code.
 */
const isStars = (text: string) => text.startsWith('*');
const CVVS = [cvv.filter((text) => !isStars(text)), cvv.filter((text) => isStars(text) || !/\d/.test(text))];

const jsonString = (text: string, way: number) => {
	if (way === 0) {
		return `"${[...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
	}
	const plain = JSON.stringify(text);
	return way === 1 ? plain.replace('-', '\\u002d').replace('/', '\\/') : way === 2 ? `" ${plain.slice(1)}` : plain;
};
const jsonValue = (values: fc.Arbitrary<string>) =>
	fc.tuple(values, fc.nat(9)).map(([text, way]) => {
		if (way >= 7 && /^(0|[1-9]\d*)$/.test(text)) return text;
		if (way === 6 && text === '') return 'null';
		return jsonString(text, way);
	});
const jsonMember = (keys: readonly string[], values: fc.Arbitrary<string>) =>
	fc
		.tuple(fc.constantFrom(...keys), jsonValue(values), fc.constantFrom('', ' ', '\r\n', '\t'))
		.map(([key, text, gap]) => `${gap}"${key}"${gap}:${gap}${text}${gap}`);
const jsonCard = (cvvs: fc.Arbitrary<string>) =>
	fc
		.record({
			numbers: fc.array(
				jsonMember(
					['cardNumber', 'CARDNUMBER', 'ccNumber', 'Karten-Nr', 'pan', 'card\\u004eumber', 'number', 'card'],
					number,
				),
				{
					minLength: 1,
					maxLength: 2,
				},
			),
			others: fc
				.subarray([0, 1, 2, 3, 4, 5])
				.chain((chosen) =>
					fc.tuple(
						...chosen.map(
							(i) =>
								[
									jsonMember(['expirationDate', 'ccExpiry', 'valid thru'], expiry),
									jsonMember(['expirationMonth'], month),
									jsonMember(['expirationYear'], year),
									jsonMember(['cvv', 'securityCode', 'cvc2', 'code'], cvvs),
									jsonMember(['cardType'], cardType),
									jsonMember(['nameOnCard', 'ticket', 'number', 'reference'], otherText),
								].at(i)!,
						),
					),
				),
		})
		.chain(({ numbers, others }) =>
			fc.shuffledSubarray([...numbers, ...others], { minLength: numbers.length + others.length }),
		)
		.map((members) => `{${members.join(',')}}`);
/** A code here, beside stars of the file's own within, would become stars too, and nothing would tell which ones it was. */
const noCode = cardType.filter((text) => !/\d/.test(text));
const jsonTree = (cvvs: fc.Arbitrary<string>) =>
	fc.letrec<{ tree: string }>((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 3, depthSize: 'small' },
			jsonCard(cvvs),
			jsonValue(otherText),
			fc.array(tie('tree'), { maxLength: 3 }).map((list) => `[${list.join(' , ')}]`),
			fc
				.tuple(fc.constantFrom('card', 'cards', 'a', 'creditCard', 'cardNumber', 'cvv', 'expiry'), tie('tree'))
				.map(([key, tree]) => `{"${key}":${tree}}`),
			fc
				.tuple(
					jsonMember(['number', 'cardNumber'], number),
					tie('tree'),
					fc.oneof(jsonMember(['cardType'], cardType), jsonMember(['cvv'], noCode)),
				)
				.map(([one, tree, two]) => `{"card":{${one},"more":${tree},${two}}}`),
		),
	})).tree;
export const simplejson = fc
	.tuple(
		fc.oneof(...CVVS.map((values) => fc.array(jsonTree(values), { maxLength: 4 }))),
		fc.constantFrom('\n', '\r\n', ' ', '\r'),
		fc.boolean(),
		fc.boolean(),
	)
	.map(([trees, gap, hasBom, isUtf8]) => {
		const text = trees.join(gap);
		const body = isUtf8 ? Buffer.from(text) : latin1(text);
		return { bytes: Buffer.concat([latin1(hasBom ? '\u00ef\u00bb\u00bf' : ''), body]), options: {} };
	});

const XML_SIGNS: Record<string, string> = { '<': '&lt;', '&': '&amp;', '"': '&quot;', "'": '&apos;' };
const xmlText = (text: string, way: number) => {
	const plain = text.replace(/[<&"']/g, (sign) => XML_SIGNS[sign]).replaceAll(']]>', ']]&gt;');
	const half = text.length >> 1;
	const isPlain = plain === text;
	if (way === 0) return [...text].map((one) => `&#${one.charCodeAt(0)};`).join('');
	if (way === 1) return [...text].map((one) => `&#x${one.charCodeAt(0).toString(16)};`).join('');
	if (way === 2) return `<![CDATA[${text.replaceAll(']]>', '')}]]>`;
	if (way === 3 && isPlain) return `${text.slice(0, half)}<!-- 4111111111111111 -->${text.slice(half)}`;
	if (way === 4 && isPlain) return `${text.slice(0, half)}<![CDATA[${text.slice(half).replaceAll(']]>', '')}]]>`;
	if (way === 5) return `\r\n  ${plain}\t`;
	if (way === 6 && isPlain) return `${text.slice(0, half)}<?pi 4?>${text.slice(half)}`;
	return plain;
};
interface XmlField {
	readonly names: readonly string[];
	readonly values: fc.Arbitrary<string>;
}
const XML_FIELDS: Record<string, XmlField> = {
	number: {
		names: ['CardNumber', 'PAN', 'CREDITCARDNUMBER', 'Number', 'p:CardNumber', 'CCNum', 'AcctNbr', 'Card'],
		values: number,
	},
	expiry: { names: ['ExpirationDate', 'ExpireDate'], values: expiry },
	month: { names: ['ExpiryMonth'], values: month },
	year: { names: ['ExpiryYear'], values: year },
	type: { names: ['CardType', 'CardCode', 'Type'], values: cardType },
	name: { names: ['NameOnCard', 'Ticket', 'Reference', 'IssueNumber'], values: otherText },
};
interface XmlPart {
	readonly element: string;
	readonly attribute: string;
	readonly name: string;
}
const xmlPart = ({ names, values }: XmlField): fc.Arbitrary<XmlPart> =>
	fc.tuple(fc.constantFrom(...names), values, fc.nat(12), fc.constantFrom('"', "'")).map(([tag, text, way, quote]) => ({
		element: `<${tag}>${xmlText(text, way)}</${tag}>`,
		attribute: `${tag}=${quote}${xmlText(text, way < 2 ? way : 9).replaceAll('\n', '&#10;')}${quote}`,
		name: tag,
	}));
const xmlCvv = (values: fc.Arbitrary<string>) => ({ names: ['CVV', 'SeriesCode', 'CVC2', 'Code'], values });
const xmlCard = (fieldsOfCard: Record<string, XmlField>) =>
	fc
		.tuple(
			fc.constantFrom('PaymentCard', 'Card', 'o:CreditCard', 'Payment', 'bankcard', 'TravelTran', 'Account'),
			fc.subarray(Object.keys(fieldsOfCard)).map((fields) => [...new Set(['number', ...fields])]),
			fc.boolean(),
		)
		.chain(([tag, fields, hasAttributes]) =>
			fc.tuple(...fields.map((field) => xmlPart(fieldsOfCard[field]))).chain((parts) =>
				fc.shuffledSubarray(parts, { minLength: parts.length }).map((found) => {
					if (hasAttributes) return `<${tag} ${found.map((part) => part.attribute).join(' ')}/>`;
					return `<${tag}>${found.map((part) => part.element).join('\n')}</${tag}>`;
				}),
			),
		);
const xmlTree = (cvvs: XmlField) =>
	fc.letrec<{ tree: string }>((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 3, depthSize: 'small' },
			xmlCard({ ...XML_FIELDS, cvv: cvvs }),
			xmlCard({ ...XML_FIELDS, cvv: cvvs }),
			xmlPart(XML_FIELDS.number).map((part) => part.element),
			xmlPart(cvvs).map((part) => part.element),
			fc
				.tuple(
					fc.constantFrom('Booking', 'Card', 'Guarantee', 'r:Room', 'CardNumber', 'TravelTran'),
					fc.array(tie('tree'), { maxLength: 3 }),
				)
				.map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag}>`),
			fc.constantFrom('<!-- 4111111111111111 -->', '<?pi 4111111111111111?>', '<Empty/>', '<![CDATA[4111]]>', '\r\n'),
		),
	})).tree;
const xmlTrees = CVVS.map((values) => xmlTree(xmlCvv(values)));
export const tadc = fc
	.tuple(
		fc.constantFrom('', '<?xml version="1.0"?>', '<?xml version="1.0" encoding="ISO-8859-1"?>\r\n', '\n'),
		fc.oneof(...xmlTrees.map((tree) => fc.array(tree, { maxLength: 4 }))),
		fc.constantFrom('', '\n', '<!-- end -->'),
		fc.boolean(),
	)
	.map(([head, trees, tail, hasBom]) => ({
		bytes: latin1(`${hasBom ? '\u00ef\u00bb\u00bf' : ''}${head}<Batch>${trees.join('')}</Batch>${tail}`),
		options: {},
	}));
