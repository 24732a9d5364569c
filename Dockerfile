# Images with the program and its examples, and with Python as well:
#   docker build -t matcha . && docker run --rm -v "$PWD:/d" matcha run --pattern triangle /d/graph.txt
#   docker build -t matcha-python --target python . && docker run --rm -it matcha-python
FROM debian:bookworm AS build
COPY scripts/common.sh /source/scripts/common.sh
RUN bash -c 'source /source/scripts/common.sh && install_packages "${packages[@]}"'
COPY . /source
RUN cd /source && cmake --preset release -DMATCHA_TESTS=OFF -DMATCHA_BENCH=OFF \
 && cmake --build build && cpack -G DEB --config build/CPackConfig.cmake -B /packages

FROM debian:bookworm-slim AS program
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update && apt-get install -y --no-install-recommends /packages/matcha_*.deb && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --uid 10001 matcha
COPY examples /home/matcha/examples
# A number, as Kubernetes asks for where root is forbidden.
USER 10001
WORKDIR /home/matcha
ENTRYPOINT ["matcha"]

FROM program AS python
USER 0
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update && apt-get install -y --no-install-recommends /packages/libmatcha0_*.deb /packages/python3-matcha_*.deb python3-numpy \
 && rm -rf /var/lib/apt/lists/*
USER 10001
ENTRYPOINT ["python3"]

# The last stage is what `docker build` makes unless a target is named.
FROM program
