// A template for the plugin of a format: copy it, give it another name, and say where the cards of your layout are.
// docs/formats/plugins.md explains every member. The layout here is invented: a line such as
//
//     PAY VI 4111111111111111 1229 123
//
// has the code, the number, the expiry and the CVV of a card. All other lines are left alone.

const LF = 0x0a;

/** Finds the words of `bytes[from, to)`, which blanks divide. */
function wordsOf(bytes, from, to) {
	const words = [];
	for (let at = from; at < to; at++) {
		if (bytes[at] === 0x20) continue;
		const start = at;
		while (at < to && bytes[at] !== 0x20) at++;
		words.push([start, at]);
	}
	return words;
}

function textOf(bytes, [start, end]) {
	let text = '';
	for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]);
	return text;
}

export default {
	// The name of its folders: /tokenize/TEMPLATE/.
	filter: 'TEMPLATE',
	title: 'Payments by line, an example',
	tokenCase: 'lower',
	expiryFormat: 'MMYY',
	// What may be wrong with a file. `scan` names one of them by its index, and has no other words.
	faults: ['a line that begins with PAY has no number'],

	// Called once for each file.
	open() {
		return {
			// Gets the next bytes of the file, and answers how many of them are done, and where the cards in these are. What is not
			// done comes again with the next bytes.
			scan(bytes, isLast) {
				const cards = [];
				let settled = 0;
				for (;;) {
					let end = bytes.indexOf(LF, settled);
					if (end === -1) {
						if (!isLast || settled === bytes.length) break;
						end = bytes.length;
					}
					const words = wordsOf(bytes, settled, bytes[end - 1] === 0x0d ? end - 1 : end);
					if (words.length > 0 && textOf(bytes, words[0]) === 'PAY') {
						const [, type, number, expiry, cvv] = words;
						if (number === undefined) return { fault: 0, at: words[0][0] };
						cards.push({ type, number, expiry, cvv });
					}
					settled = Math.min(end + 1, bytes.length);
				}
				return { settled: isLast ? bytes.length : settled, cards };
			},
		};
	},
};
