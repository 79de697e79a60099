/* How loud recordings are, and by how much each is turned down so that all are as loud as the quietest.

   Measured as ITU-R BS.1770 does, within a decibel: through filters that stand for the ear, in stretches of 400 ms, those
   that are silent or far below the others left out. */

// Enough for speech and music, and a sixth of the memory that CDs need.
const RATE = 16_000;
const STRETCH = 0.4;
// Stretches below are silence; and those so far below the mean of the others are pauses (power, as -70 and -10 dB).
const SILENCE = 1e-7;
const PAUSE = 0.1;

async function filtered(sound) {
  const context = new OfflineAudioContext(sound.numberOfChannels, sound.length, RATE);
  const source = new AudioBufferSourceNode(context, { buffer: sound });
  const head = new BiquadFilterNode(context, { type: "highshelf", frequency: 1500, gain: 4 });
  const low = new BiquadFilterNode(context, { type: "highpass", frequency: 38, Q: 0 });
  source.connect(head).connect(low).connect(context.destination);
  source.start();
  return context.startRendering();
}

const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

function powers(sound) {
  const size = Math.min(Math.round(STRETCH * RATE), sound.length);
  const found = new Array(Math.floor(sound.length / size)).fill(0);
  for (let channel = 0; channel < sound.numberOfChannels; channel += 1) {
    const samples = sound.getChannelData(channel);
    for (const n of found.keys()) {
      for (let at = n * size; at < (n + 1) * size; at += 1) found[n] += samples[at] ** 2 / size;
    }
  }
  return found;
}

/** The power of a recording, given as the bytes of its file; null for silence, and where it cannot be decoded. */
export async function power(bytes) {
  try {
    const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(bytes);
    const heard = powers(await filtered(sound)).filter((one) => one > SILENCE);
    const gate = PAUSE * mean(heard);
    return heard.length ? mean(heard.filter((one) => one > gate)) : null;
  } catch {
    return null;
  }
}

/** The volume of each, from 0 to 1, by their powers; all at 1 where one is not known. */
export const volumes = (all) => all.map((own) => (all.includes(null) ? 1 : Math.sqrt(Math.min(...all) / own)));
