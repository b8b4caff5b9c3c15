// Writes drawings as text. Colours are given as classes, which the style of the drawing defines for light and for dark.

/** Escapes text for an element or an attribute; characters that XML cannot hold are left out. */
export function escapeXml(text: string): string {
	return [...text]
		.filter((each) => /[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(each))
		.join('')
		.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

type Attributes = Readonly<Record<string, string | number>>;

/** Writes an element around content that is XML already. */
export function element(name: string, attributes: Attributes, content = ''): string {
	const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(tell(value))}"`);
	return content === '' ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${content}</${name}>`;
}

/** Writes an element around plain text. */
export function textElement(name: string, attributes: Attributes, text: string): string {
	return element(name, attributes, escapeXml(text) || '\u00a0');
}

const tell = (value: string | number) => (typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);

/**
 * The classes of series, which give them their colours on light and on dark. The order of the legend tells the series apart
 * for those who do not see colours.
 */
export const SERIES_CLASSES = ['s0', 's1', 's2', 's3'] as const;
const STYLE = `
.back { fill: #ffffff } text { fill: #1a1a1a } .soft { fill: #555555 } .grid { stroke: #d9d9d9 } .axis { stroke: #666666 }
.s0 { fill: #1a5fb4; stroke: #1a5fb4 } .s1 { fill: #c64600; stroke: #c64600 }
.s2 { fill: #26724a; stroke: #26724a } .s3 { fill: #813d9c; stroke: #813d9c }
.line { fill: none; stroke-width: 2.5 } .bar { stroke: none }
@media (prefers-color-scheme: dark) {
.back { fill: #16181c } text { fill: #f0f0f0 } .soft { fill: #b8b8b8 } .grid { stroke: #3a3d42 } .axis { stroke: #a0a0a0 }
.s0 { fill: #8ab4f8; stroke: #8ab4f8 } .s1 { fill: #ffa45c; stroke: #ffa45c }
.s2 { fill: #7fd1a3; stroke: #7fd1a3 } .s3 { fill: #d3a4ea; stroke: #d3a4ea }
.line { fill: none } .bar { stroke: none }
}
`;

/** Writes a whole drawing, with a title and a description for those who do not see it. */
export function drawing(
	{ width, height }: { readonly width: number; readonly height: number },
	{ title, description }: { readonly title: string; readonly description: string },
	content: readonly string[],
): string {
	const head = [
		textElement('title', { id: 'title' }, title),
		textElement('desc', { id: 'desc' }, description),
		element('style', {}, STYLE),
		element('rect', { class: 'back', x: 0, y: 0, width, height }),
	];
	const attributes = {
		...{ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, role: 'img' },
		...{ 'aria-labelledby': 'title desc', 'font-family': 'system-ui, sans-serif', 'font-size': 13 },
	};
	return `${element('svg', attributes, `\n${[...head, ...content].join('\n')}\n`)}\n`;
}
