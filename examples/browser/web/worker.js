// The engine's thread. The page requests virtual time and receives the results; it never blocks on the engine.
import init, { World, Lab } from "./engine/engine.js";

const ready = init();
const SLICE = 24; // milliseconds of work between messages to the page
let world = null;
let number = 0; // of the world, assigned by the page
let lab = null;
let labSize = 0;

function frame() {
  const flights = world.flights();
  postMessage({ type: "frame", number, state: world.state(), events: world.events(), flights, link: world.link() }, [flights.buffer]);
}

const answers = {
  open({ link, number: opened }) {
    number = opened;
    world?.free();
    world = null;
    world = new World(link);
    // The validators start at time 0; before that they would be shown as down.
    while (world.step(0));
    frame();
  },
  advance({ until }) {
    const deadline = performance.now() + SLICE;
    while (world.step(until) && performance.now() < deadline);
    frame();
  },
  step() {
    const next = world.nextAt();
    if (next >= 0) while (world.step(next));
    frame();
  },
  act({ what }) {
    world.act(what);
    frame();
  },
  lab({ marks }) {
    if (labSize !== marks.length) {
      lab?.free();
      lab = new Lab(marks.length);
      labSize = marks.length;
    }
    postMessage({ type: "lab", result: lab.run(marks), marks });
  },
};

onmessage = async ({ data }) => {
  try {
    await ready;
    answers[data.type](data);
  } catch (error) {
    postMessage({ type: "error", number: data.number ?? number, about: data.type, message: String(error?.message ?? error) });
  }
};
