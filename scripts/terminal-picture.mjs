// A terminal as an animated SVG: lines that are typed, lines that are answered, drawn once and then standing still.

const COLUMNS = 94;
const LINE = 19;
const LEFT = 18;
const TOP = 52;
const TYPED_SECONDS_PER_CHARACTER = 0.028;

/** @typedef {{ typed?: boolean, prompt?: string, text: string, pauseSeconds?: number }} TerminalLine */

/**
 * @param {{ title: string, description: string, lines: TerminalLine[], marks: [RegExp, string][] }} picture
 * `marks` give what they match a class: `card`, `token`, `key`.
 */
export function drawTerminal({ title, description, lines, marks }) {
	let seconds = 0.4;
	const rows = lines.flatMap((line) => {
		const [first, ...rest] = wrapped(`${line.prompt ?? ''}${line.text}`);
		const promptLength = line.prompt?.length ?? 0;
		return [{ ...line, text: first, promptLength }, ...rest.map((text) => ({ text, promptLength: 0 }))];
	});
	const drawn = rows.map(({ typed, text, promptLength, pauseSeconds = typed ? 0.5 : 0.05 }, n) => {
		const y = TOP + n * LINE;
		const prompt = promptLength > 0 ? `<tspan class="prompt">${escaped(text.slice(0, promptLength))}</tspan>` : '';
		const said = text.slice(promptLength);
		const typingSeconds = typed ? said.length * TYPED_SECONDS_PER_CHARACTER : 0.01;
		const style = `animation-delay:${seconds.toFixed(2)}s;animation-duration:${typingSeconds.toFixed(2)}s${
			typed ? `;animation-timing-function:steps(${Math.max(1, said.length)})` : ''
		}`;
		seconds += typingSeconds + pauseSeconds;
		const marked = typed ? `<tspan class="typed">${escaped(said)}</tspan>` : withMarks(said, marks);
		return `<text class="${typed ? 'type' : 'show'}" x="${LEFT}" y="${y}" style="${style}">${prompt}${marked}</text>`;
	});
	const width = LEFT * 2 + COLUMNS * 8.43;
	const height = TOP + rows.length * LINE + 4;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" role="img" aria-labelledby="title desc">
  <title id="title">${escaped(title)}</title>
  <desc id="desc">${escaped(description)}</desc>
  <style>
    text { font: 14px/1 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6dbe4; white-space: pre }
    .prompt { fill: #7f8a9c } .typed { fill: #fff; font-weight: 600 }
    .card { fill: #ff8f83 } .token { fill: #7fc1ff } .key { fill: #f3d27a }
    .show { opacity: 0; animation: show 0.01s forwards } .type { clip-path: inset(-4px 100% -4px 0); animation: type 1s forwards }
    @keyframes show { to { opacity: 1 } } @keyframes type { to { clip-path: inset(-4px 0 -4px 0) } }
    @media (prefers-reduced-motion) { .show, .type { animation: none; opacity: 1; clip-path: none } }
  </style>
  <rect width="100%" height="100%" rx="10" fill="#171b22"/>
  <g><circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/></g>
  ${drawn.join('\n  ')}
</svg>
`;
}

/** Broken between words where a line has too many columns. */
function wrapped(text) {
	return text === '' ? [''] : text.match(new RegExp(`.{1,${COLUMNS}}(?: |$)`, 'gu'));
}

function withMarks(text, marks) {
	for (const [pattern, name] of marks) {
		const found = pattern.exec(text);
		if (!found) continue;
		const end = found.index + found[0].length;
		const marked = `<tspan class="${name}">${escaped(found[0])}</tspan>`;
		return escaped(text.slice(0, found.index)) + marked + withMarks(text.slice(end), marks);
	}
	return escaped(text);
}

function escaped(text) {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
