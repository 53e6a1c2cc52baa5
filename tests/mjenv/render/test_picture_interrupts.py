"""Ctrl-C in the middle of pictures, and pictures of worlds that are being stepped."""

import os
import signal
import threading
import time

import pytest

import mjenv
from mjenv.engine.simd import kernel

pytestmark = pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled")
XML = """
<mujoco>
  <visual><global offwidth="6000" offheight="6000"/></visual>
  <worldbody>
    <light pos="0 0 3"/><geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .5"><joint/><geom type="ellipsoid" size=".1 .2 .3"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("nthread", [1, 2])
@pytest.mark.parametrize("worlds", [False, True])
def test_pictures_end(nthread, worlds):
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model, 300)
    mjenv.forward(model, data)
    small, size = (300, 24), 480 if worlds else 6000
    renderer = mjenv.Renderer(model, 24, 24, nthread=nthread)
    whole = renderer.render_worlds(data)
    assert whole.shape[:2] == small
    renderer.resize(size, size)

    def draw():
        while True:
            if worlds:
                renderer.render_worlds(data)
            else:
                renderer.update_scene(data)
                renderer.render()

    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        draw()
    took = time.monotonic() - sent[0]
    timer.join()
    assert took < 1.0
    # the renderer goes on
    renderer.resize(24, 24)
    assert (renderer.render_worlds(data) == whole).all()
