import { renderSVG } from 'uqr';

/** Returns a QR code as SVG, black on white so that every camera reads it. */
export function qrSvg(text: string): string {
	return renderSVG(text, { ecc: 'M', border: 3 });
}
